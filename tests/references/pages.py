"""Pages for the browser, opened without one."""

import base64
import gzip
import re


def opened_page(text):
    """The page that the compressed page in a text shows, without its arrays."""
    ((length, inner),) = re.findall(r'<script id="packed"[^>]* data-length="(\d+)">([^<]*)</script>', text)
    return gzip.decompress(base64.b85decode(inner.replace(",", "<")))[: int(length)].decode("utf-8")
