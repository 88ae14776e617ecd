"""Facts -> protected code: barriers, kept results, assembly, origin map, verification, the form for caches."""

from daifu_bc.transform.cache import dump_protected, load_protected
from daifu_bc.transform.protect import protect_code, protect_or_leave
from daifu_bc.transform.registry import Settings, original_of, protection_of, skipped

__all__ = [
    "Settings",
    "dump_protected",
    "load_protected",
    "original_of",
    "protect_code",
    "protect_or_leave",
    "protection_of",
    "skipped",
]
