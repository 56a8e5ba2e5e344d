"""Decodes the event streams of a profile (chunks of compressed columns, see gprof-x-format(5)), with the system's libzstd.

For small profiles: a million numbers take a second. Unknown encodings, missing libraries and damaged chunks are errors.
"""
import ctypes
import ctypes.util
import struct

KERNELS, COPIES, SETS, PC_SAMPLES = 3, 4, 5, 9
MOST_BYTES = 64 << 20


class Unreadable(Exception):
    pass


def library():
    for name in (ctypes.util.find_library("zstd"), "libzstd.so.1"):
        if name:
            try:
                found = ctypes.CDLL(name)
            except OSError:
                continue
            found.ZSTD_decompress.restype = found.ZSTD_isError.restype = ctypes.c_size_t
            found.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
            found.ZSTD_isError.argtypes = [ctypes.c_size_t]
            return found
    return None


def decompress(zstd, frame, size):
    if size > MOST_BYTES:
        raise Unreadable("a column of %d bytes" % size)
    out = ctypes.create_string_buffer(max(1, size))
    got = zstd.ZSTD_decompress(out, size, frame, len(frame))
    if zstd.ZSTD_isError(got) or got != size:
        raise Unreadable("a column that does not decompress")
    return out.raw[:size]


def varints(data):
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        if byte & 0x80:
            shift += 7
            if shift > 63:
                raise Unreadable("a number of more than ten bytes")
        else:
            values.append(value & (1 << 64) - 1)
            value = shift = 0
    if shift:
        raise Unreadable("a number without an end")
    return values


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def numbers(data, encoding):
    """The values of a decompressed column; encoding 1 = as they are, 2 = zigzag differences."""
    if encoding == 1:
        return [signed(v) for v in varints(data)]
    if encoding != 2:
        raise Unreadable("encoding %d" % encoding)
    values, at = [], 0
    for z in varints(data):
        at = (at + (z >> 1 if z & 1 == 0 else ~(z >> 1))) & (1 << 64) - 1
        values.append(signed(at))
    return values


def chunk_columns(data, unpack):
    """Columns of one chunk by number. unpack(frame, size) decompresses."""
    rows, count, _ = struct.unpack_from("<IHH", data, 0)
    directory = [struct.unpack_from("<HHII", data, 8 + 12 * i) for i in range(count)]
    at = 8 + 12 * count
    columns = {}
    for column, encoding, raw_size, frame_size in directory:
        if at + frame_size > len(data):
            raise Unreadable("a chunk that is cut off")
        columns[column] = numbers(unpack(data[at:at + frame_size], raw_size), encoding)
        if len(columns[column]) != rows:
            raise Unreadable("a column of another length")
        at += frame_size
    return columns


def read(database, stream):
    """All rows of a stream, as columns by number."""
    zstd = library()
    if zstd is None:
        raise Unreadable("there is no libzstd")
    result = {}
    for (data,) in database.execute("SELECT data FROM chunk WHERE stream = ? ORDER BY id", (stream,)):
        try:
            columns = chunk_columns(bytes(data), lambda frame, size: decompress(zstd, frame, size))
        except struct.error as error:
            raise Unreadable("a chunk that is cut off") from error
        for number, values in columns.items():
            result.setdefault(number, []).extend(values)
    return result
