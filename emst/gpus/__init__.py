"""Several GPUs of one machine, by the keyword `device_ids`: one thread of this process drives each of them.

    devices.py   which GPUs `device_ids` names
    engine.py    one thread a GPU as an engine of `emst.partitions`
    inputs.py    points on the host, on a GPU or in a list of arrays, as chunks on the GPUs
    memory.py    whether to take several GPUs, and what each needs, checked before anything is allocated
    tree.py      the tree over all GPUs, put together on one of them: from there on everything is as on one GPU

The stages of the tree are those of `emst.partitions`.
"""
