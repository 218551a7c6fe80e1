"""A checkpoint of a GPU that is not here: https://github.com/ZQPei/deep_sort_pytorch/issues/51

A GPU ends this program with:

    RuntimeError: Attempting to deserialize object on CUDA device 7 but torch.cuda.device_count() is 2. Please
    use torch.load with map_location to map your storages to an existing device.
"""

import io

import torch

file = io.BytesIO()
torch.save(torch.ones(3, device="cuda:1"), file, _use_new_zipfile_serialization=False)
torch.load(io.BytesIO(file.getvalue().replace(b"cuda:1", b"cuda:7")))
