"""Facts -> protected code: barriers, kept results, assembly, origin map, verification."""

from daifu_bc.transform.protect import protect_code
from daifu_bc.transform.registry import Settings, original_of, protection_of, skipped

__all__ = ["Settings", "original_of", "protect_code", "protection_of", "skipped"]
