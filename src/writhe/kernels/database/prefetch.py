"""A prefetch instruction for kernels."""

# Numba's extension points carry no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


@intrinsic
def prefetch(_: Any, array: Any, row: Any) -> Any:
    """Prefetch the first cache line of array[row] without waiting for it.

    A hint to the processor: out-of-range rows are allowed.
    """

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        made = context.make_array(signature.args[0])(context, builder, args[0])
        stride = cgutils.unpack_tuple(builder, made.strides)[0]
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        address = builder.gep(builder.bitcast(made.data, byte), [builder.mul(args[1], stride)])
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        reading, keep, data = number(0), number(3), number(1)
        builder.call(hint, [address, reading, keep, data])
        return context.get_dummy_value()

    return types.void(array, types.intp), emit
