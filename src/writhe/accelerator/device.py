"""The device that JAX computes on."""

from __future__ import annotations

from typing import Protocol, cast

import jax


class Device(Protocol):
    """What is used of JAX's device, which states no types."""

    @property
    def platform(self) -> str:
        """The kind of device: "cpu", "gpu" or "tpu"."""
        ...

    @property
    def device_kind(self) -> str:
        """The model of the device."""
        ...


def default_device() -> Device:
    """The first device, on which arrays are placed unless said otherwise."""
    return cast("Device", jax.devices()[0])
