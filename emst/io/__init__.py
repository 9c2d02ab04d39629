"""Reading points and graphs from files, and writing labels and forests.

Where is a CSV read? In `tables.py`, by `read_csv`: points and graphs call it.

    points.py           points from files of any supported format: `read_points`
    las.py              laser scans in .las and .laz: their points, and clusters beside them
    fits.py             points from the tables of .fits
    column_files.py     columns of results as .csv, .tsv, .parquet, .npz or .npy (`write_columns`)
    labels.py           labels and probabilities beside the columns of the points (`write_appended`)
    graphs.py           graphs from files of any supported format: `read_graph`; forests to files: `write_forest`
    forests.py          the columns of a forest's files
    tables.py           columns of numbers from .csv and other texts (`read_csv`), or of .parquet
    texts.py            columns of any kind, which a page tells beside the pointer (`read_texts`)
    arrow.py            large texts, read by all threads with pyarrow (`read_plain`)
    parquet.py          tables in .parquet (`read_parquet`)
    columns.py          which columns are taken, and what they must hold
    index.py            columns that number or name the rows
    edge_lists.py       graphs from tables and .npz arrays; which columns are source, target and weight
    ends.py             numbers, ids and names of vertices in tables and .npz arrays
    dimacs.py           graphs from .gr and .gr.gz, the format of the 9th DIMACS challenge
    matrix_market.py    graphs from .mtx and .mtx.gz
    file_graph.py       `FileGraph`: a graph together with what its file calls its parts
    atomic.py           files that are written completely or not at all

Every reader raises `ValueError` with one sentence that names the file and, where there is one, the line and the column
at fault.
"""
