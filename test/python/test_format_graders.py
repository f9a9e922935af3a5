"""The built-in graders that look at an answer's form: regex, json_valid, json_schema."""

from __future__ import annotations

import json
import unittest
from collections.abc import Mapping

from regrade.graders import json_schema, json_valid, regex
from regrade.graders.contract import Grade
from regrade.timer import Timer
from regrade.ungraded import Ungraded


def score(grade: Grade, answer: str | None) -> float:
    return next(iter(grade({"extracted_output": answer}, {})["scores"].values()))


class Regex(unittest.TestCase):
    def test_the_pattern_is_searched_or_is_the_whole(self) -> None:
        cases: list[tuple[Mapping[str, object], str | None, int]] = [
            ({"pattern": r"\d+ apples"}, "I have 5 apples.", 1),
            ({"pattern": r"\d+ apples"}, "I have 5 APPLES.", 0),
            ({"pattern": r"\d+ apples", "flags": "i"}, "I have 5 APPLES.", 1),
            ({"pattern": r"\d+", "match": "whole"}, "5", 1),
            ({"pattern": r"\d+", "match": "whole"}, "5 apples", 0),
            ({"pattern": r".*"}, "", 1),
            ({"pattern": r".*"}, None, 0),
        ]
        for options, answer, expected in cases:
            with self.subTest(options, answer=answer):
                self.assertEqual(score(regex.create(options), answer), expected)

    def test_a_pattern_that_can_not_be_used_is_refused(self) -> None:
        cases: list[tuple[Mapping[str, object], str]] = [
            ({}, "the option pattern is missing"),
            ({"pattern": ""}, "pattern can't be ''"),
            ({"pattern": "("}, "unterminated subpattern at character 1"),
            ({"pattern": "a", "flags": "g"}, "the flag 'g' is unknown"),
            ({"pattern": "a" * 1001}, "1,001 characters"),
            ({"pattern": "a", "match": "start"}, "match can't be 'start'"),
        ]
        for options, reason in cases:
            with self.subTest(options), self.assertRaisesRegex(ValueError, reason):
                regex.create(options)

    def test_a_search_without_end_is_no_result(self) -> None:
        grade = regex.create({"pattern": "(a+)+$"})
        timer = Timer()
        timer.take_signal()
        timer.start(0.2)
        try:
            with self.assertRaisesRegex(Ungraded, "took too long"):
                score(grade, "a" * 60 + "b")
        finally:
            timer.stop()


class JsonValid(unittest.TestCase):
    def test_one_json_value_and_nothing_else(self) -> None:
        grade = json_valid.create({})
        right = ["1", " {} ", '"a"', "null", "[1e999999999999999999999]", "9" * 5000, '{"a":1,"a":2}']
        wrong = ["", None, "{", "{'a': 1}", "NaN", "[Infinity]", "{} {}", "yes", "[1,]", "[" * 100_000, "01"]
        for answer, expected in [*((each, 1) for each in right), *((each, 0) for each in wrong)]:
            with self.subTest(str(answer)[:40]):
                self.assertEqual(score(grade, answer), expected)

    def test_says_where_it_is_none(self) -> None:
        result = json_valid.create({})({"extracted_output": '{"a":\n 1'}, {})
        self.assertEqual(result["judge"], {"problem": "Expecting ',' delimiter at line 2, column 3"})


#: A schema, and answers with what they score.
Cases = list[tuple[Mapping[str, object], dict[str, int]]]

VALUES: Cases = [
    ({"type": "integer"}, {"1": 1, "1.0": 1, "1e2": 1, "1.5": 0, "true": 0, '"1"': 0}),
    ({"type": ["string", "null"]}, {'"a"': 1, "null": 1, "0": 0}),
    ({"enum": [1, True, None, {"x": [1]}]}, {"1.0": 1, "true": 1, "false": 0, '{"x":[1.0]}': 1, "0": 0}),
    ({"const": 0}, {"0": 1, "-0.0": 1, "false": 0}),
    ({"minimum": 0.1, "exclusiveMaximum": 5}, {"0.1": 1, "5": 0, "0.09999999999999999999": 0, '"a"': 1}),
    ({"exclusiveMinimum": 0, "maximum": 1}, {"0": 0, "1": 1, "1e999999999": 0}),
    ({"multipleOf": 0.01}, {"0.07": 1, "0.075": 0, "1e400000000": 0}),
    ({"minLength": 2, "maxLength": 2}, {'"😀😀"': 1, '"😀"': 0, "1": 1}),
    ({"pattern": "^[a-z]+$"}, {'"abc"': 1, '"abc\\n"': 0, '"Abc"': 0}),
    ({"pattern": r"^\d\s$"}, {'"1\\u00a0"': 1, '"\\u0661 "': 0}),
    ({"pattern": r"(?<year>\d{4})[\s$]"}, {'"2024$"': 1, '"2024\\u2003"': 1, '"2024"': 0}),
    ({"format": "date", "title": "a day"}, {'"not a day"': 1}),
]

PARTS: Cases = [
    (
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}},
            "required": ["a"],
            "additionalProperties": False,
        },
        {'{"a":1}': 1, '{"a":"x"}': 0, '{"a":1,"b":2}': 0, "{}": 0, "[]": 0, "no JSON": 0},
    ),
    (
        {"patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": {"type": "string"}},
        {'{"x1":1,"y":"a"}': 1, '{"x1":"a"}': 0, '{"y":1}': 0},
    ),
    ({"propertyNames": {"maxLength": 2}}, {'{"ab":1}': 1, '{"abc":1}': 0}),
    ({"minProperties": 1, "maxProperties": 2}, {"{}": 0, '{"a":1}': 1, '{"a":1,"b":1,"c":1}': 0}),
    ({"dependentRequired": {"a": ["b"]}}, {'{"a":1}': 0, '{"a":1,"b":1}': 1, "{}": 1}),
    ({"dependentSchemas": {"c": {"minProperties": 2}}}, {'{"c":1}': 0, '{"c":1,"d":1}': 1}),
    ({"properties": {"a": False}}, {'{"b":1}': 1, '{"a":1}': 0}),
    ({"prefixItems": [{"type": "string"}], "items": False}, {'["a"]': 1, "[]": 1, '["a",1]': 0, "[1]": 0}),
    ({"items": {"type": "integer"}, "minItems": 1, "maxItems": 2}, {"[1]": 1, "[]": 0, "[1,2,3]": 0, '["a"]': 0}),
    ({"contains": {"const": 1}, "maxContains": 1}, {"[1,2]": 1, "[1,1]": 0, "[]": 0}),
    ({"contains": {"const": 1}, "minContains": 0}, {"[]": 1}),
    ({"uniqueItems": True}, {"[1,true]": 1, "[1,1.0]": 0, '[{"a":1},{"a":1}]': 0}),
]

COMBINED: Cases = [
    ({"allOf": [{"minimum": 1}, {"maximum": 2}]}, {"1": 1, "3": 0}),
    ({"anyOf": [{"type": "integer"}, {"minimum": 2}]}, {"1": 1, "2.5": 1, "1.5": 0}),
    ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, {"1": 1, "2.5": 1, "3": 0, "1.5": 0}),
    ({"not": {"type": "string"}}, {"1": 1, '"a"': 0}),
    (
        {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}},
        {'{"a":1,"b":1}': 1, '{"a":1}': 0, '{"c":1}': 1, "{}": 0},
    ),
    (
        {"$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}}, "required": ["v"]}}, "$ref": "#/$defs/n"},
        {'{"v":1,"next":{"v":2}}': 1, '{"v":1,"next":{}}': 0},
    ),
    (
        {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#all"}}], "$anchor": "all"},
        {"[[1,[2]]]": 1, '[["x"]]': 0},
    ),
    ({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"type": "null"}}}, {"1": 1}),
    ({"items": {"$ref": "#/$defs/a~1b%25"}, "$defs": {"a/b%": {"type": "null"}}}, {"[null]": 1, "[1]": 0}),
]


class JsonSchema(unittest.TestCase):
    def test_keywords(self) -> None:
        for schema, answers in [*VALUES, *PARTS, *COMBINED]:
            grade = json_schema.create({"schema": schema})
            for answer, expected in answers.items():
                with self.subTest(json.dumps(schema), answer=answer):
                    self.assertEqual(score(grade, answer), expected)

    def test_says_what_is_wrong_and_where(self) -> None:
        cases: list[tuple[Mapping[str, object], str | None, str]] = [
            ({"properties": {"a/b": {"items": {"type": "null"}}}}, '{"a/b":[1]}', "/a~1b/0 is 1, not of type null"),
            ({"required": ["a"]}, "{}", "the value lacks the property 'a'"),
            ({"anyOf": [{"type": "null"}]}, "1", "fits none of 1 alternatives (the first: the value is 1, not of"),
            ({}, None, "the answer is no JSON: it is empty"),
            ({"items": {"$ref": "#"}}, "[" * 990 + "]" * 990, "nested too deeply"),
        ]
        for schema, answer, expected in cases:
            with self.subTest(answer):
                result = json_schema.create({"schema": schema})({"extracted_output": answer}, {})
                self.assertIn(expected, str(result["judge"]["problem"]))

    def test_a_schema_that_can_not_be_used_is_refused_when_it_is_read(self) -> None:
        cases: list[tuple[object, str]] = [
            ({"typ": "string"}, "at # has the keyword 'typ', which is not supported"),
            ({"properties": {"a": {"foo": 1}}}, "at #/properties/a has the keyword 'foo'"),
            ({"$defs": {"unused": {"type": "str"}}}, "#/\\$defs/unused/type names the type 'str'"),
            ({"unevaluatedProperties": False}, "'unevaluatedProperties', which is not supported"),
            ({"items": [{}]}, "write prefixItems"),
            ({"dependencies": {}}, "write dependentRequired or dependentSchemas"),
            ({"$ref": "https://example.com/schema"}, "within the same schema"),
            ({"$ref": "#/$defs/x"}, "which is not there"),
            ({"allOf": [{"$ref": "#"}]}, "refers to itself without end"),
            (
                {
                    "$ref": "#/$defs/a",
                    "$defs": {
                        "a": {"properties": {"x": {"$ref": "#/$defs/b"}}, "allOf": [{"$ref": "#/$defs/b"}]},
                        "b": {"allOf": [{"$ref": "#/$defs/a"}]},
                    },
                },
                "refers to itself without end",
            ),
            ({"$schema": "http://json-schema.org/draft-04/schema#"}, "a \\$schema that is not known"),
            (
                {"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/a", "minimum": 1},
                "minimum beside \\$ref",
            ),
            ({"pattern": r"\p{L}"}, "bad escape"),
            ({"minimum": "1"}, "must be a number"),
            ({"minLength": 1.5}, "must be a whole number"),
            ({"multipleOf": 0}, "above 0"),
            ({"required": "a"}, "must be a list of texts"),
            ({"anyOf": []}, "at least one schema"),
            ("schema.json", "must be a JSON Schema"),
        ]
        for schema, reason in cases:
            with self.subTest(schema), self.assertRaisesRegex(ValueError, reason):
                json_schema.create({"schema": schema})


if __name__ == "__main__":
    unittest.main()
