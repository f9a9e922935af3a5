"""Regrade's Python side. In a grader, ``import regrade`` gives the recipes, and the types of a grader's arguments.

The package also holds the host for graders, the built-in graders, and regexes as Python defines them. Their modules are
internal and may change. It uses the standard library only, and needs Python 3.10 or newer.
"""

# Defined like in ``typing``, because importing that would slow down the start of every host.
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
        """Import the recipes when a grader asks for one, so that a host that needs none starts without them."""
        if name not in __all__:
            raise AttributeError(f"module 'regrade' has no {name!r}; it has {', '.join(__all__)}")
        from regrade import recipes, shapes

        return getattr(shapes if hasattr(shapes, name) else recipes, name)
