"""What a tokenizer.json puts round every text: its "post_processor".

Out: the IDs before and after those of the text. Only the template for one text is used; pairs are not encoded here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import ModelFileError
from engine.huggingface import fields


@dataclass(frozen=True)
class Template:
    """IDs before and after a text."""

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


def _read_template(settings: Mapping[str, Any], warnings: list[str]) -> Template:
    special_tokens = fields.field(settings, "special_tokens", dict)
    sides: list[list[int]] = [[]]
    for item in fields.field(settings, "single", list):
        kind, name = _item(item)
        if kind == "Sequence":
            sides.append([])
        else:
            sides[-1] += _ids_of(special_tokens, name)
    if len(sides) != 2:
        warnings.append(f"The template of the post-processor has the text {len(sides) - 1} times and is left out.")
        return Template()
    return Template(tuple(sides[0]), tuple(sides[1]))


def _item(item: Any) -> tuple[str, str]:
    if isinstance(item, dict) and len(item) == 1:
        ((kind, value),) = item.items()
        if kind in ("Sequence", "SpecialToken") and isinstance(value, dict):
            return kind, fields.field(value, "id", str)
    raise ModelFileError(f"In the tokenizer.json, the template has the item {item!r}, which is none.")


def _ids_of(special_tokens: Mapping[str, Any], name: str) -> list[int]:
    token = special_tokens.get(name)
    ids = fields.field(token, "ids", list) if isinstance(token, dict) else None
    if ids is None or not all(isinstance(i, int) for i in ids):
        raise ModelFileError(f"In the tokenizer.json, the template names {name!r}, which it does not define.")
    return ids


def _read_pair(settings: Mapping[str, Any], warnings: list[str]) -> Template:
    return Template((_id_of(settings.get("cls")),), (_id_of(settings.get("sep")),))


def _id_of(pair: Any) -> int:
    if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], int):
        return pair[1]
    raise ModelFileError("In the tokenizer.json, the post-processor needs cls and sep as a text and an ID.")


def _read_sequence(settings: Mapping[str, Any], warnings: list[str]) -> Template:
    steps = [read_post_processor(step, warnings) for step in fields.field(settings, "processors", list)]
    templates = [step for step in steps if step != Template()]
    if len(templates) > 1:
        warnings.append(f"The {len(templates)} templates one after the other of the post-processor are left out.")
    return templates[0] if len(templates) == 1 else Template()


_READERS: dict[str, Callable[[Mapping[str, Any], list[str]], Template]] = {
    "TemplateProcessing": _read_template,
    "BertProcessing": _read_pair,
    "RobertaProcessing": _read_pair,
    "Sequence": _read_sequence,
    # It moves offsets only.
    "ByteLevel": lambda _, __: Template(),
}


_FIELDS: dict[str, tuple[str, ...]] = {
    "TemplateProcessing": ("single", "pair", "special_tokens"),
    "BertProcessing": ("sep", "cls"),
    "RobertaProcessing": ("sep", "cls", "trim_offsets", "add_prefix_space"),
    "Sequence": ("processors",),
    "ByteLevel": ("trim_offsets", "add_prefix_space", "use_regex"),
}


def read_post_processor(settings: object, warnings: list[str]) -> Template:
    """Make the template from its JSON; what is not done here is added to `warnings`."""
    if settings is None:
        return Template()
    name = fields.type_of(settings)
    assert isinstance(settings, dict)
    if name not in _READERS:
        warnings.append(f"The post-processor {name} is left out: it is not known here.")
        return Template()
    fields.name_unknown(settings, ("type", *_FIELDS[name]), f"The post-processor {name}", warnings)
    if settings.get("trim_offsets"):
        warnings.append(f"The post-processor {name} asks for offsets without white space; here they are as they fall.")
    return _READERS[name](settings, warnings)


def check_ids(template: Template, n_pieces: int) -> Template:
    """Return the template; ModelFileError for an ID that is no piece."""
    strange: Sequence[int] = [i for i in template.before + template.after if not 0 <= i < n_pieces]
    if strange:
        raise ModelFileError(f"The post-processor adds the ID {strange[0]}; IDs run from 0 to {n_pieces - 1}.")
    return template
