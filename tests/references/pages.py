"""Pages for the browser, opened without one."""

import base64
import gzip
import re


def opened_page(text):
    """The page that the compressed page in a text shows."""
    (inner,) = re.findall(r'<script id="packed"[^>]*>([^<]*)</script>', text)
    return gzip.decompress(base64.b64decode(inner)).decode("utf-8")
