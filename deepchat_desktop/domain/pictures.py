"""Which bytes are a picture that may be attached: one of four raster types, told by the first bytes (MD-1)."""


def picture_type(data: bytes) -> str | None:
    """Return the media type of a picture that models take, or None. RIFF alone is not enough for WebP."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None
