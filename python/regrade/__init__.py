"""Regrade's Python side. ``import regrade`` in a grader gives the recipes and the shapes of what a grader is handed.

Beside these names the package holds the host for graders, the built-in graders, and regexes as Python defines them:
their modules are Regrade's own and may change. Standard library only, Python 3.10 or newer.
"""

# As `typing` has it, whose import would be a part of every host's start.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from regrade.recipes import absolute_error, cosine, exact_match, macro_f1, numeric_match, token_f1
    from regrade.shapes import BatchResult, BatchSample, Context, Graded, Item, Sample, SampleUpdate

__all__ = [
    "BatchResult",
    "BatchSample",
    "Context",
    "Graded",
    "Item",
    "Sample",
    "SampleUpdate",
    "absolute_error",
    "cosine",
    "exact_match",
    "macro_f1",
    "numeric_match",
    "token_f1",
]

if not TYPE_CHECKING:

    def __getattr__(name):
        """Import the recipes when a grader asks for one: a host that needs none starts without them."""
        if name not in __all__:
            raise AttributeError(f"module 'regrade' has no {name!r}; it has {', '.join(__all__)}")
        from regrade import recipes, shapes

        return getattr(shapes if hasattr(shapes, name) else recipes, name)
