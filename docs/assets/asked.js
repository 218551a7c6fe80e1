/* What people ask of a section, in their words: its address, then questions with semicolons between them. The search counts
   them as the section's own words, and takes a question that is like one of them to that section. An address whose page is
   gone counts for the one section of the same folder that has its anchor, of several for that whose page has the old name in front. */
globalThis.sdAsked = `
amp/autocast#accuracy does mixed precision hurt accuracy; amp worse results than fp32; precision loss
amp/autocast#arguments autocast parameters; device_type, dtype, enabled, cache_enabled; how to use autocast; with torch.autocast
amp/autocast#compile autocast and torch.compile together
amp/autocast#cpus autocast on cpu; mixed precision without a gpu; cpu bf16 amx avx512
amp/autocast#custom-functions custom_fwd custom_bwd; autograd function under amp
amp/autocast#distributed autocast with DDP, DataParallel or FSDP; amp on multiple gpus
amp/autocast#float16-or-bfloat16 difference between fp16 and bf16; range of half precision; overflow float16 training
amp/autocast#float8 fp8 training; transformer engine; torchao float8
amp/autocast#gpus does V100 T4 A100 RTX support bfloat16; is_bf16_supported; tensor cores compute capability half precision; old gpu without bfloat16
amp/autocast#leaving use the output after autocast; convert half output back to float32
amp/autocast#memory does amp reduce memory; mixed precision uses more memory; memory saved by autocast
amp/autocast#multiples-of-8 batch size multiple of 8; tensor core alignment; pad vocabulary size
amp/autocast#nesting disable autocast for one layer or part of the model; run one operation in full precision; nested autocast enabled=False
amp/autocast#old-names torch.cuda.amp deprecated; apex amp; new autocast syntax
amp/autocast#parameters-float32 why are weights still float32 with amp; master weights; parameters dtype under autocast; gradients are float32
amp/autocast#program amp training example; mixed precision full example code; how to use autocast and GradScaler together
amp/autocast#result-dtypes which operations or layers run in float16 and which in float32 under autocast; output of linear is half, softmax is float32; autocast op list; layer norm dtype amp
amp/autocast#speed AMP is not faster; mixed precision gives no speedup, same speed or slower; why is fp16 training slow; speed of autocast
amp/autocast#tf32 allow_tf32; set_float32_matmul_precision; turn tf32 on or off; medium high highest
amp/autocast#the-backward-pass-uses-the-same-dtypes should backward be inside autocast; loss.backward() under autocast; autocast and backward
amp/autocast#what-changes what does autocast do; do I need model.half() or .half() with autocast; should I cast the model or the inputs to float16; autocast for inference, evaluation, validation; does the loss go inside autocast; what is AMP
amp/autocast#which-dtype which dtype for mixed precision; bf16 mixed precision training; do I need a scaler with autocast; fp16 or bf16 for training
amp/gradscaler#arguments-and-defaults init_scale default 65536; growth_factor backoff_factor growth_interval; best initial loss scale
amp/gradscaler#autograd-grad gradient penalty with amp; autograd.grad with scaled loss
amp/gradscaler#clipping clip gradients with amp; clip_grad_norm_ unscale_ before clipping
amp/gradscaler#disabled GradScaler enabled=False; disable scaler on cpu
amp/gradscaler#do-i-need-a-gradscaler do I need GradScaler; gradscaler bfloat16; loss scaling bf16; amp without GradScaler; what is GradScaler for
amp/gradscaler#ema exponential moving average of weights with amp
amp/gradscaler#find-out-where-the-inf-or-nan-comes-from loss becomes nan with amp; nan in mixed precision training; debug nan gradients; detect_anomaly
amp/gradscaler#gradient-accumulation gradient accumulation with amp; accumulate gradients scaler update
amp/gradscaler#growth-and-backoff scale keeps decreasing, shrinks, goes to zero; loss scale drops every step; scale grows; dynamic loss scaling
amp/gradscaler#learning-rate-schedulers lr scheduler with GradScaler; scheduler.step with skipped step
amp/gradscaler#methods order of scaler.scale, unscale_, step and update; how does GradScaler work; what does scaler.update() do; scaler.scale(loss).backward()
amp/gradscaler#notice-a-skipped-step check whether the step was skipped; detect overflow with get_scale
amp/gradscaler#save-and-load-checkpoints save scaler state_dict; resume amp training from checkpoint
amp/gradscaler#set-scale change the scale manually; fixed static loss scale
amp/gradscaler#several-losses-models-and-optimizers multiple optimizers or losses, GAN generator and discriminator with one scaler; one GradScaler per optimizer
amp/gradscaler#underflow gradients vanish in half precision; gradients are zero with fp16; why loss scaling is needed
amp/gradscaler#waits does scaler.step synchronize cuda
amp/gradscaler#why-was-my-step-skipped optimizer step skipped by scaler; gradient overflow skipping step; nan or inf gradients with amp; scaler skips the first steps; inf gradient norm at the beginning of training; are inf gradients normal with amp; grad norm is inf
devices/choosing#chain pick cuda, mps, xpu or cpu; support mac and nvidia
devices/choosing#comparing-devices compare two devices; is the tensor on cuda; device.type
devices/choosing#cuda-visible-devices hide gpus; restrict pytorch to one gpu; select gpu by environment variable; gpu numbering differs from nvidia-smi; CUDA_DEVICE_ORDER
devices/choosing#default-device-torchset_default_device create all tensors on the gpu by default; set default tensor type cuda
devices/choosing#device-strings-and-torchdevice what is cuda:0; difference between cuda and cuda:0; device index
devices/choosing#let-the-caller-choose-device command line argument for the device; argparse device
devices/choosing#several-gpus use a specific gpu; choose which gpu; run on gpu 1; second gpu; list all gpus; number of gpus; which gpu is used
devices/choosing#torchaccelerator-what-the-one-line-does use gpu if available else cpu; device agnostic code; fall back to cpu if there is no gpu; select device automatically; run the same code on cpu and gpu; torch.device("cuda" if torch.cuda.is_available() else "cpu")
devices/choosing#without-a-device-everything-is-created-on-the-cpu default device of new tensors; pytorch does not use my gpu; model runs on the cpu although a gpu is available
devices/cuda#asynchronous cuda calls are asynchronous; does pytorch wait for the gpu; error appears at another line
devices/cuda#crossover is the gpu always faster; when to use a gpu; gpu slower for small matrices; cpu faster than gpu
devices/cuda#cuda-graphs capture a graph; reduce kernel launch overhead; torch.cuda.graph; reduce-overhead
devices/cuda#launch-blocking debug cuda error; find the line of a cuda error; CUDA_LAUNCH_BLOCKING
devices/cuda#low-utilization gpu usage is low; gpu utilization 0 percent; volatile gpu-util drops; gpu is idle, not fully used; training does not use the gpu much; gpu usage at 30 percent; is it normal that the gpu is not at 100 percent; low gpu usage
devices/cuda#matmul-rate tflops of my gpu; peak performance; matrix multiplication speed
devices/cuda#properties gpu name, memory and number of multiprocessors; get_device_properties; get_device_name
devices/cuda#streams run kernels in parallel; overlap computation; multiple streams; torch.cuda.Stream
devices/cuda#timing measure time of gpu code correctly; benchmark model inference time; time.time() wrong on gpu; why do I need synchronize for timing
devices/cuda#warm-up first gpu call or first iteration is slow; first inference takes long; warm up; cuda initialization time; lazy initialization
devices/cuda#what-a-wait-in-every-step-costs avoid synchronization in the training loop; loss.item() every iteration slow
devices/cuda#what-cuda-is what is cuda; difference between cuda, cudnn and driver; cuda cores
devices/cuda#what-waits which operations synchronize cpu and gpu; does .item(), .cpu(), print or nonzero synchronize, block until the gpu is done
devices/dataloader#arguments-of-dataloader drop_last; last batch is smaller, dataset size not divisible by the batch size; shuffle; batch_size; sampler; dataloader parameters; length of a dataloader
devices/dataloader#bottleneck data loading is the bottleneck; is the dataloader too slow; gpu waits for data
devices/dataloader#dataset-on-device load the whole dataset into gpu memory; keep data on the gpu; small dataset on cuda
devices/dataloader#default-device set_default_device and DataLoader; random sampler generator device
devices/dataloader#from-items-to-a-batch-collate_fn custom collate function; variable length sequences, pad_sequence, padding in a batch; images of different sizes in a batch; how are samples batched
devices/dataloader#iterable-dataset IterableDataset duplicates data with workers; streaming dataset; get_worker_info
devices/dataloader#nested batch is a dict, list or tuple; move nested dictionary of tensors to gpu
devices/dataloader#no-to move batch to gpu; how to put the dataloader on the gpu; DataLoader on cuda; send data to device in the loop; call .to(device) or cuda in Dataset __getitem__
devices/dataloader#persistent-workers dataloader slow at the start of each epoch; workers restart every epoch
devices/dataloader#pin-memory pin_memory true or false; when to use pinned memory in a DataLoader; pin_memory with non_blocking; pin memory thread
devices/dataloader#prefetch prefetch batches; prefetch_factor
devices/dataloader#shared-memory shm size docker; /dev/shm; sharing strategy file_system
devices/dataloader#start-methods dataloader windows if __name__ == "__main__"; spawn or fork; dataloader hangs with opencv or cuda in workers; multiprocessing context
devices/dataloader#workers how many workers; num_workers slower; more workers do not help; best num_workers; dataloader multiprocessing; num_workers=0
devices/dataloader#wrapper dataloader that moves to the device automatically; prefetcher to gpu
devices/getting-a-gpu#arch-list compute capability; sm_86; arch list; which gpus does pytorch support
devices/getting-a-gpu#cpu-gpu-and-cuda-who-does-what what is a gpu; why use a gpu for deep learning
devices/getting-a-gpu#cuda-version-in-nvidia-smi-is-not-the-cuda-that-pytorch-uses nvidia-smi shows another cuda version than torch.version.cuda
devices/getting-a-gpu#driver-toolkit-runtime cuda toolkit, driver and runtime; nvcc version differs; does pytorch need a local cuda
devices/getting-a-gpu#nvidia-smi-what-the-driver-sees nvidia-smi explained; gpu processes; driver version; see gpu usage
devices/getting-a-gpu#quick-answer is my gpu used; test that pytorch sees the gpu; check cuda version; how do I know if cuda works; torch.version.cuda; is cuda installed
devices/getting-a-gpu#the-gpus-properties name of the gpu; total memory of the gpu; how much vram; number of gpus
devices/getting-a-gpu#three-ways-to-get-a-gpu free gpu; colab gpu; rent a gpu; kaggle; cloud
devices/getting-a-gpu#which-build install pytorch with gpu support; pip install torch cuda; conda; cpu-only version installed; AMD gpu ROCm; Intel gpu; do I need to install the cuda toolkit; which cuda version for my driver; uninstall cpu version; RTX 5090 sm_120
devices/getting-a-gpu#why-false cuda.is_available returns False; gpu not detected; pytorch cannot find the gpu; cuda not available in docker, wsl or jupyter
devices/mismatch#allowed-mixes can I add a cpu scalar to a cuda tensor; zero dimensional tensor; index cuda tensor with cpu indices
devices/mismatch#causes-and-fixes fix expected all tensors to be on the same device; all tensors on the same device; do model and data have to be on the same device; model and input on different devices
devices/mismatch#device-map device_map auto; accelerate; hugging face model over several devices
devices/mismatch#factory-in-forward tensor created in forward is on the cpu; torch.zeros in forward; positional encoding device; hidden state of an lstm on the wrong device
devices/mismatch#find-the-tensor-that-stayed-behind find out which tensor is on the wrong device; list the devices of all parameters and buffers
devices/mismatch#loss-weights class weights of the loss on gpu; labels on the cpu
devices/mismatch#plain-attribute self.tensor not moved by model.to; register_buffer; constant in a module; attribute stays on cpu
devices/mismatch#two-gpus model on cuda:1 and data on cuda:0; tensors on different gpus; model parallel; put a part of the network, half of the layers on a second gpu; split a model across two gpus; model parallelism
devices/mismatch#which-message tensors on different devices error; cpu and cuda:0 error
devices/moving-models#a-checkpoint-with-optimizer-state load optimizer state_dict; optimizer state on wrong device after loading a checkpoint; resume on another device
devices/moving-models#check-which-device-a-model-is-on is the model on the gpu; next(model.parameters()).is_cuda; device of a module
devices/moving-models#create-the-model-on-the-device create layers directly on the gpu; device argument of nn.Linear; init model on gpu
devices/moving-models#losses-have-no-device-unless-they-hold-buffers does the loss function need .to(device); criterion.cuda()
devices/moving-models#map_location-choose-where-to-load map_location cpu; load checkpoint onto another gpu; loading uses gpu 0 memory
devices/moving-models#meta-device-and-to_empty create a model without allocating memory; meta device init
devices/moving-models#mmaptrue-and-other-formats load a large checkpoint with little memory; safetensors; mmap
devices/moving-models#moduleto-works-in-place model.to(device) or model = model.to(device); is module.to in place; do I have to assign model.cuda()
devices/moving-models#optimizer-before-or-after-the-move create optimizer before or after model.cuda(); move the optimizer to the gpu; optimizer state on the wrong device
devices/moving-models#quick-answer put a model on the gpu; model.cuda(); model.to(device)
devices/moving-models#save-and-load-across-devices save on gpu, load on cpu; load a gpu model without a gpu; torch.load on another gpu
devices/moving-models#weights_only-what-torchload-accepts weights_only=True; torch.load security pickle; add_safe_globals
devices/moving-models#what-moves-and-what-stays-behind layers in a python list, nn.ModuleList; buffers, parameters, submodules move; what does model.to move; move only a part of the model
devices/moving-tensors#asynchronous-copies-non_blockingtrue non_blocking transfer; overlap copy and compute; pin_memory and non_blocking together; is non_blocking safe
devices/moving-tensors#autograd-a-moved-tensor-is-not-a-leaf grad is None after .cuda(); gradient of a tensor moved to the gpu
devices/moving-tensors#check-which-device-a-tensor-is-on is a tensor on the gpu; tensor.is_cuda; tensor.device; get_device
devices/moving-tensors#create-a-tensor-on-the-device create tensor directly on gpu; torch.zeros(device=); faster than .cuda()
devices/moving-tensors#pinned-memory-pin_memory what is pinned memory; page-locked memory; pageable
devices/moving-tensors#quick-answer copy tensor to gpu and back; tensor.cuda(); cpu()
devices/moving-tensors#tensorto-signature-and-defaults difference between .to(device) and .cuda(); .to() arguments
devices/moving-tensors#to-a-python-number get a python number from a cuda tensor; .item() .tolist()
devices/moving-tensors#to-numpy gpu tensor to numpy; cuda tensor to cpu numpy; detach().cpu().numpy()
devices/moving-tensors#what-a-move-costs how slow is copying between cpu and gpu; transfer time; pcie bandwidth; is moving data to the gpu a bottleneck
devices/moving-tensors#when-to-copies-and-when-it-does-not is tensor.to() or tensor.cuda() in place; does .to(device) copy; x.cuda() does nothing; do I have to assign the result of .to; to the same device
devices/mps#fallback operator not implemented for mps; PYTORCH_ENABLE_MPS_FALLBACK
devices/mps#float64 double on mac; float64 on mps
devices/mps#from-cuda-to-mps replace cuda with mps; port cuda code to a mac
devices/mps#memory mps memory limit; unified memory; watermark ratio
devices/mps#mixed-precision autocast on mps; fp16 on mac
devices/mps#quick-answer pytorch on mac; use the gpu of an apple silicon macbook m1 m2 m3; metal; is it worth training on a mac; m2 ultra, m4 max; mac studio
devices/mps#slow mps is slow; m1 gpu slower than cpu
devices/without-a-gpu#ci test cuda code in github actions; gpu tests in CI
devices/without-a-gpu#meta-device what is the meta device; shapes without data
devices/without-a-gpu#quick-answer test gpu code without a gpu; develop cuda code on a laptop; simulate a gpu
errors/accumulated-gradients-differ gradient accumulation gives different results than a large batch
errors/all-stored-batches-are-the-same stored batches or results are all the same; list of tensors all equal to the last
errors/arange-reaches-its-end arange includes the end; number of elements of arange with float step
errors/autocast-has-no-effect autocast has no effect; outputs are still float32 with amp
errors/batch-of-one-squeezed squeeze removes the batch dimension
errors/bfloat16-stops-improving training in bfloat16 stops improving; bf16 weights do not update
errors/chained-assignment-changes-nothing assignment to an indexed tensor does nothing
errors/class-numbers-change class indices or labels change from run to run; order of a set
errors/clipping-scaled-gradients clipping without unscale_
errors/cuda-is-available-is-false torch.cuda.is_available() is False; cuda not available
errors/data-gives-wrong-gradients .data instead of detach; wrong gradients
errors/dataloader-memory-grows memory leak in DataLoader workers; ram grows with num_workers; dataloader worker memory grows; ram, cpu memory fills up while iterating over a dataloader; host memory leak in the dataset
errors/device-equals-string device == "cuda" is always False
errors/empty-cache-frees-nothing empty_cache does not free memory; memory still used after empty_cache
errors/every-step-skipped-after-inf loss scale goes to zero; every step is skipped after an inf; scale decreases forever
errors/every-worker-same-random-numbers workers return the same random augmentation; numpy random identical in each worker; seed the workers of a DataLoader
errors/expected-to-mark-a-variable-ready-only-once gradient checkpointing with ddp; parameter marked ready twice
errors/forward-missing-positional-argument-small-batch batch smaller than the number of gpus with DataParallel
errors/fsdp-parameters-do-not-change fsdp parameters do not change; optimizer created before fully_shard
errors/gpu-slower-than-cpu gpu is slower than cpu; cuda slower than cpu
errors/grad-of-a-tensor-that-is-not-a-leaf grad of a non-leaf tensor is None
errors/inf-from-half-precision inf in half precision; float16 overflow
errors/integers-wrap-around uint8 overflow; negative values become large; integer wraps around
errors/item-is-slow .item() is slow; loss.item() takes long; .cpu() is slow
errors/killed-exit-status-137 process killed; exit code 137; exit code 9 out of ram; oom killer
errors/large-integer-becomes-infinity large integer becomes inf
errors/layers-in-a-python-list difference between ModuleList and a list of layers; layers in a list are not registered; parameters missing from the model
errors/layers-that-should-differ-are-equal copied layers share weights; all layers have the same initial weights
errors/loss-does-not-change-autocast loss does not change under autocast
errors/loss-not-scaled forgot to scale the loss
errors/masked-positions-get-probability masked positions get probability after softmax; mask before softmax
errors/max-without-parentheses x.max without parentheses; bound method
errors/measured-time-too-short measured gpu time is too short; timing shows almost no time
errors/memory-full-after-error-in-notebook gpu memory stays full after an error in jupyter; memory full after keyboard interrupt
errors/missing-keepdim wrong result without keepdim; normalize rows wrong
errors/missing-keys-in-state-dict-module remove module. prefix from state_dict keys; load DataParallel or DDP checkpoint into a plain model
errors/nan-loss-float16 loss is nan with fp16 or half; nan in float16 model
errors/nvidia-smi-shows-more nvidia-smi shows more memory than pytorch
errors/parameter-does-not-learn parameter does not change during training; weights are not updated
errors/parameter-to-is-no-parameter nn.Parameter(...).to(device) is not a parameter
errors/plain-attribute-stays-on-cpu tensor attribute stays on the cpu after model.to
errors/repeated-index-counted-once index += counts repeated indices once
errors/reshape-in-place-of-permute image is scrambled after reshape; reshape instead of permute
errors/result-with-too-many-elements unexpected shape (n, n) of the loss; silent broadcasting in the loss
errors/same-order-in-every-epoch DistributedSampler set_epoch; same order in every epoch with ddp; why call set_epoch
errors/second-device-overwrites-first mps overwrites cuda; device chosen twice
errors/second-iteration-out-of-memory out of memory in the second iteration, the first one works; memory grows after the first optimizer step
errors/second-stream-reads-too-early race condition between streams
errors/small-number-zero-float16 epsilon is zero in float16; log of zero in half precision
errors/stack-expects-each-tensor-to-be-equal-size samples of different length or size in one batch; pad sequences to the same length
errors/still-on-the-cpu-after-to tensor is still on the cpu after x.to(device); x.cuda() has no effect
errors/syncbatchnorm-expected-input-on-gpu SyncBatchNorm on cpu
errors/tensors-of-the-same-index-same-device optimizer state on the cpu after loading a checkpoint
errors/to-returns-the-same-tensor .to() returns the same tensor, changing the copy changes the original
errors/torch-empty-holds-arbitrary-numbers torch.empty contains garbage; strange large values in a new tensor
errors/train-is-missing dropout is off after evaluation; forgot model.train()
errors/watchdog-caught-collective-operation-timeout NCCL watchdog timeout; collective operation timeout
errors/wrong-numbers-on-mps wrong results on mps; different results on mac gpu
errors/wrong-values-after-non-blocking wrong values after non_blocking copy to cpu
errors/zero-grad-is-missing loss does not decrease; loss increases; forgot zero_grad
memory/allocator#cache memory is not freed after del; reserved versus allocated memory; memory_reserved; caching allocator; memory stays in use after deleting tensors or the model
memory/allocator#context cuda context memory overhead; gpu memory used before any tensor
memory/allocator#empty-cache release gpu memory; delete a model from the gpu; clear cuda cache; free memory in a jupyter notebook; does empty_cache help; unload a model
memory/allocator#fraction limit gpu memory; set_per_process_memory_fraction; use only part of the gpu; several processes on one gpu
memory/allocator#fragmentation memory fragmentation; out of memory although enough is free; reserved but unallocated
memory/allocator#nvidia-smi nvidia-smi shows more memory than memory_allocated; memory used by other processes
memory/allocator#peak peak memory usage; max_memory_allocated; measure gpu memory of a function; how much gpu memory does my model use; reset_peak_memory_stats
memory/allocator#rounding why does a small tensor use 512 bytes; block size; memory granularity
memory/allocator#settings max_split_size_mb; expandable_segments; PYTORCH_CUDA_ALLOC_CONF; allocator settings
memory/allocator#snapshot which tensor uses the memory; memory profiler; memory_viz; record_memory_history
memory/levers#accumulation simulate a larger batch size; gradient accumulation steps; effective batch size on one gpu; train with a batch size that does not fit into memory; split a batch into micro batches
memory/levers#attention memory of attention; flash attention; scaled_dot_product_attention; long sequences
memory/levers#bfloat16-parameters train purely in bfloat16; model.bfloat16(); half precision weights
memory/levers#checkpointing activation checkpointing; gradient checkpointing; trade compute for memory; recompute activations
memory/levers#first how to reduce gpu memory; train a large model on a small gpu; save memory
memory/levers#freeze train only the last layers; finetune part of the model; LoRA
memory/levers#inference-mode out of memory in evaluation, validation or test but not in training; memory during inference; torch.no_grad saves memory
memory/levers#large-vocabulary logits use too much memory; cross entropy with large vocabulary; chunked loss
memory/levers#losses-that-keep-graphs memory grows because of loss accumulation; total_loss += loss; detach the loss; loss.item() leak
memory/levers#offload offload to cpu; cpu offloading; use system ram when the gpu is full; save_on_cpu
memory/levers#optimizer optimizer with less memory; adam memory; 8-bit adam; sgd instead of adam; adafactor
memory/levers#step-in-backward optimizer step in backward; fuse optimizer and backward
memory/levers#views a small slice keeps the whole tensor in memory; clone a slice to free memory
memory/levers#zero-grad zero_grad set_to_none
memory/model-of-memory#activations memory of activations; what is stored for backward; why does training need more memory than inference
memory/model-of-memory#batch-size how does batch size affect memory; memory per sample
memory/model-of-memory#bytes-per-parameter memory for a 7B model; how many bytes per parameter; 16 bytes per parameter; memory to finetune an llm
memory/model-of-memory#kv-cache memory of text generation; kv cache size; llm inference memory
memory/model-of-memory#meta estimate memory before training; will my model fit; how much gpu memory do I need
memory/model-of-memory#optimizer-state memory jumps after the first optimizer step; how much memory does Adam need; first step uses more memory; optimizer memory
memory/model-of-memory#parameters count the parameters of a model; number of trainable parameters; size of a model in MB; model size in memory
memory/model-of-memory#profiler which operation uses most memory; memory by operation
memory/model-of-memory#vram-and-ram gpu memory or system ram; shared gpu memory; can pytorch use ram instead of vram; cpu memory and gpu memory
memory/model-of-memory#which-batch-size calculate the batch size for a gpu
memory/oom#alive list all tensors in memory; which tensors are on the gpu; gc.get_objects
memory/oom#cpu cpu ram out of memory; process killed; ram usage increases
memory/oom#exception catch out of memory error; try except oom; recover from cuda out of memory
memory/oom#find biggest, maximum batch size that fits; auto batch size; find batch size automatically
memory/oom#leaks memory increases every iteration or epoch; memory leak in the training loop; gpu memory keeps growing
memory/oom#message understand the out of memory message; what does tried to allocate mean; total capacity, reserved by pytorch
memory/oom#outside-except continue after out of memory; retry with a smaller batch
memory/oom#what-fills why do I run out of gpu memory; cuda out of memory fix; reduce batch size; out of memory with a small batch
parallel/dataparallel#attributes model.module; call a method or access an attribute of a wrapped model
parallel/dataparallel#batchnorm-sees-only-the-first-part-of-the-batch batch norm with DataParallel
parallel/dataparallel#checkpoints save a DataParallel model; remove module. prefix from keys; load a multi gpu checkpoint on one gpu
parallel/dataparallel#dataparallel-ddp-or-fsdp2 which parallel method: DataParallel, DDP or FSDP; difference between DP and DDP; best way to train on multiple gpus
parallel/dataparallel#is-nndataparallel-deprecated should I still use nn.DataParallel
parallel/dataparallel#on-no-gpu-and-on-one-gpu DataParallel uses only one gpu
parallel/dataparallel#the-first-gpu-holds-more gpu 0 uses more memory than the others; unbalanced, imbalanced gpu memory; first gpu out of memory with DataParallel
parallel/dataparallel#to-ddp convert DataParallel code to DistributedDataParallel
parallel/dataparallel#what-forward-stores-is-lost attribute set in forward is lost; module state in DataParallel replicas
parallel/dataparallel#what-it-costs DataParallel is slow; no speedup with two gpus; multi gpu slower than single gpu
parallel/dataparallel#what-it-does-to-a-batch how does DataParallel split the batch; scatter and gather; batch size with DataParallel; device_ids
parallel/ddp#amp autocast with DDP; mixed precision in distributed training
parallel/ddp#batch-size batch size per gpu; effective, global batch size in DDP; scale the learning rate with the number of gpus
parallel/ddp#buckets gradient buckets; overlap communication with backward; bucket_cap_mb
parallel/ddp#buffers SyncBatchNorm; synchronize batch norm statistics across gpus; convert_sync_batchnorm; broadcast_buffers
parallel/ddp#change-a-training-loop-to-ddp ddp tutorial; minimal ddp example; how to use DistributedDataParallel; train on multiple gpus
parallel/ddp#checkpoints save on rank 0 only; load a checkpoint in ddp; print only on the main process
parallel/ddp#each-process-gets-its-share-distributedsampler DistributedSampler shuffle; set_epoch; do all gpus see the same data; split dataset across gpus; dataset length not divisible
parallel/ddp#gloo-or-nccl gloo, nccl or mpi backend; ddp on cpu; ddp on windows
parallel/ddp#gradients-are-averaged how does DDP synchronize gradients; sum or mean of gradients; all_reduce gradients
parallel/ddp#group init_process_group; MASTER_ADDR MASTER_PORT; env:// rendezvous; destroy_process_group
parallel/ddp#no-sync gradient accumulation with DDP; skip gradient synchronization
parallel/ddp#rank-world-size-local-rank what are rank, local_rank and world_size; number of processes
parallel/ddp#static-graph static_graph=True
parallel/ddp#the-rest-of-the-program average loss or metrics over all ranks; all_reduce a metric; evaluate with ddp, validation on one gpu; gather predictions from all processes; seed per rank
parallel/ddp#torchrun launch with torchrun; nproc_per_node; several machines, two nodes, multi node training; nnodes rdzv_endpoint; torch.distributed.launch
parallel/ddp#without-torchrun-spawn mp.spawn; ddp in a notebook; start processes without torchrun
parallel/ddp#wrap-the-model device_ids argument; which parameters does DDP synchronize; broadcast at construction
parallel/debugging#flight-recorder trace of collectives; debug nccl timeout
parallel/debugging#hang distributed training hangs, gets stuck, freezes, deadlock; stuck at all_reduce, barrier, init_process_group or the end of an epoch; uneven inputs; program hangs after changing the order of calls; only one rank calls; hang in evaluation
parallel/debugging#nccl-debug NCCL error debugging; NCCL_P2P_DISABLE; nccl network interface; NCCL_SOCKET_IFNAME
parallel/debugging#timeouts increase the nccl timeout; timeout of init_process_group
parallel/debugging#unused-parameters find unused parameters; parameters without gradient in ddp
parallel/debugging#where where does my process hang; stack trace of a stuck process; py-spy dump
parallel/fsdp2#checkpoints save a full state dict with fsdp; save and load an fsdp model; distributed checkpoint; gather weights on rank 0; export the model
parallel/fsdp2#clip-gradients gradient clipping with fsdp
parallel/fsdp2#dtensor what is a DTensor; full_tensor; sharded tensor
parallel/fsdp2#from-ddp-to-fsdp2 DDP or FSDP; fsdp versus ddp; FSDP1 or FSDP2; FullyShardedDataParallel; migrate to fully_shard
parallel/fsdp2#how-it-works what is FSDP; fully sharded data parallel explained; zero stage 3; shard parameters
parallel/fsdp2#memory how much memory does fsdp save; fsdp memory usage; combine, pool the memory of all gpus; model does not fit on one gpu
parallel/fsdp2#meta load a model too large for one gpu; initialize a big model with fsdp
parallel/fsdp2#mixed-precision fsdp bf16; param_dtype reduce_dtype; must flatten tensors with uniform dtype
parallel/fsdp2#offload fsdp cpu offload
parallel/fsdp2#program fsdp example; fully_shard example; how to use fsdp
parallel/fsdp2#which-modules which layers to wrap; auto wrap policy; wrap transformer blocks
tensors/aggregation#any-and-all check if all elements are true; any element nonzero; does a tensor contain a value
tensors/aggregation#argmin-and-argmax-the-position index of the maximum; predicted class from logits; argmax
tensors/aggregation#logsumexp-and-norms norm of a tensor; L2 norm; normalize a vector; softmax numerically stable
tensors/aggregation#max-along-a-dimension-returns-two-tensors max along a dimension; torch.max returns values and indices; row maximum
tensors/aggregation#max-amax-maximum element-wise maximum of two tensors; amax
tensors/aggregation#mean average of a tensor; mean of integers; mean over batch; weighted average
tensors/aggregation#median-quantile-kthvalue median; percentile; k-th smallest
tensors/aggregation#nan ignore nan in mean or sum; nanmean
tensors/aggregation#reduce-along-a-dimension-dim-and-keepdim what does dim mean; dim=0 or dim=1; axis; sum over rows or columns; sum over a dimension and keep it
tensors/aggregation#sort sort a tensor; k largest elements, top k; unique values; count how often each value occurs, bincount, occurrences, histogram
tensors/aggregation#std-and-var-which-divisor standard deviation; variance; unbiased; differs from numpy std
tensors/aggregation#sum sum of elements; cumulative sum cumsum; number of true elements; sum of booleans; count
tensors/autograd#autograd-grad second derivative; higher order gradients; gradient with respect to the input; hessian; create_graph
tensors/autograd#by-hand update weights manually; gradient descent without an optimizer; linear regression from scratch
tensors/autograd#custom-function custom backward; write my own autograd function; straight-through estimator; ctx.save_for_backward
tensors/autograd#detach what does detach do; stop gradient; block gradient flow; detach or clone; detach vs data
tensors/autograd#freeze freeze layers or weights; set requires_grad False; finetune the last layer; train only part of a network
tensors/autograd#gradients-of-tensors-backwardgradient backward on a vector; gradient argument of backward; grad_outputs; vector jacobian product; non-scalar backward
tensors/autograd#graph computational graph; what is grad_fn; what does requires_grad do
tensors/autograd#in-place inplace operation breaks gradient; modified by an inplace operation
tensors/autograd#leaf what is a leaf tensor; is_leaf; grad is None; print the gradient of an intermediate variable; retain_grad; gradient of non-leaf; grad of a hidden activation
tensors/autograd#memory retain_graph; backward twice; keep the graph
tensors/autograd#stop-recording difference between no_grad, inference_mode and eval; turn gradients off; disable gradient calculation
tensors/autograd#torch-func jacobian of a network; hessian; per-sample gradients; vmap; functional call; jacrev
tensors/autograd#what-a-gradient-is how does autograd work; what does backward() do; compute the gradient of a function; automatic differentiation; derivative
tensors/autograd#zero-grad why call zero_grad; gradients accumulate; reset gradients; optimizer.zero_grad() order
tensors/creating#copy-or-shared-memory copy a tensor; clone; torch.tensor copies; as_tensor from_numpy share
tensors/creating#eye-diag-tril-meshgrid identity matrix; diagonal; lower triangular mask; causal mask; meshgrid
tensors/creating#one-hot labels to one-hot; class indices to one hot
tensors/creating#print print precision, decimals; print full tensor without dots
tensors/creating#random-tensors random tensor; random integers between; uniform in a range; normal distribution; random permutation, shuffle a tensor; randint
tensors/creating#ranges arange, linspace; range of numbers; evenly spaced
tensors/creating#scalar-vector-matrix-tensor what is a tensor; number of dimensions, rank; shape and size; length of a tensor; ndim
tensors/creating#tensors-like-another-tensor same shape as another tensor; zeros_like; new_zeros
tensors/creating#torch-tensor-class torch.Tensor or torch.tensor; FloatTensor
tensors/creating#torchtensor-from-data create a tensor from a list; list of lists; list of tensors to tensor; torch.tensor or torch.as_tensor; array to tensor
tensors/creating#zeros-ones-and-other-constants tensor of zeros, ones; fill with a constant value; torch.full; empty tensor
tensors/dtypes#all-dtypes what is a LongTensor; data types; int64; which dtype is Half; torch.FloatTensor and torch.cuda.FloatTensor; tensor types
tensors/dtypes#convert-a-tensor cast a tensor to another type; int to float; float to long; to boolean; .type() .long() .float() .double(); change the data type; boolean mask to float; bool tensor to int; mask to 0 and 1
tensors/dtypes#half-precision-on-a-cpu float16 on cpu
tensors/dtypes#half-precision-speed is half precision faster; model.half() inference
tensors/dtypes#lost-digits rounding error of float32; 0.1 + 0.2; large integers in float; loss of precision
tensors/dtypes#overflow-and-underflow integer overflow; inf from half; values become zero
tensors/dtypes#range-and-precision machine epsilon; finfo iinfo; maximum value of a dtype; smallest number; precision of float32
tensors/dtypes#the-default-dtype default float type; set_default_dtype; use double everywhere
tensors/dtypes#type-promotion result dtype of mixing int and float; adding float and double
tensors/indexing#assign-by-index set values where a condition holds; replace negative values, nan or elements; masked_fill; change one element; assign to a slice; index_put
tensors/indexing#boolean-masks select elements by condition; filter a tensor; mask; nonzero indices; find the indices where a value occurs; elements greater than; remove elements or rows; index where a tensor equals a number; position of a value; find index of an element
tensors/indexing#ellipsis-and-none what does three dots mean; add a dimension with None; index the last dimension
tensors/indexing#gather what does gather do; pick one element per row by index; probabilities of the target class
tensors/indexing#lists-and-index-tensors select rows or columns by a list of indices; index with another tensor; advanced indexing; different column for each row
tensors/indexing#repeated-indices += with duplicate indices; accumulate by index
tensors/indexing#scatter scatter_add; sum by group; histogram; segment sum; one hot by scatter
tensors/indexing#slices-and-negative-indices slice a tensor; every second element; last element; first n rows; reverse; get the last column of a matrix or 2d tensor; first row; get a column
tensors/matmul#a-linear-layer-is-a-matrix-product what does nn.Linear compute; weight shape of a linear layer; in_features out_features
tensors/matmul#einsum-name-the-dimensions what is einsum; einsum example; outer product
tensors/matmul#element-by-element-or-matrix-product-and difference between * and @; element-wise multiplication; hadamard product; what does @ do
tensors/matmul#mm-bmm-mv-and-dot-are-not-aliases difference between mm, matmul, bmm and dot
tensors/matmul#slice-of-a-batch result depends on the batch size; different output for a single sample and a batch
tensors/matmul#the-two-shape-rules shapes for matrix multiplication; inner dimensions must match
tensors/matmul#transpose-to-make-shapes-fit-t-mt transpose before multiplication
tensors/matmul#vectors-matrices-and-batches batch matrix multiplication; multiply a batch of matrices with one matrix; matmul of 3d and 2d; matrix times vector; dot product of two vectors
tensors/numpy-bridge#dtypes numpy float64 becomes double; numpy default dtype; convert to float32
tensors/numpy-bridge#images image to tensor; PIL or opencv to tensor; ToTensor; HWC to CHW; tensor to image; show a tensor with matplotlib
tensors/numpy-bridge#names numpy equivalents; np.concatenate, np.where, np.repeat, np.transpose in torch
tensors/numpy-bridge#pandas dataframe to tensor; csv to tensor
tensors/numpy-bridge#quick-answer numpy array to tensor; tensor to numpy array; from_numpy
tensors/numpy-bridge#requires-grad tensor with grad to numpy; detach().numpy()
tensors/numpy-bridge#share-or-copy torch.tensor, as_tensor or from_numpy; copy or share
tensors/numpy-bridge#shared-memory numpy array changes when the tensor is modified; does from_numpy copy; share memory
tensors/operations#broadcasting how does broadcasting work; add a vector to each row; multiply each row by a number; operate on different shapes
tensors/operations#combining-conditions logical and, or of masks; combine conditions
tensors/operations#comparing-tensors compare two tensors; are tensors equal
tensors/operations#division-floor-division-remainder integer division; modulo; floor divide
tensors/operations#floats-equal-or-close allclose; isclose; compare floats with a tolerance; equal up to rounding
tensors/operations#functions list of math functions; elementwise functions; torch.where; clamp; exp; sigmoid; limit values to a range
tensors/operations#in-place-operations what does the underscore mean; add_ or add; in-place operation
tensors/operations#nan-and-infinity check for nan or inf; replace nan; isnan; nan_to_num
tensors/operations#norms-distances-logsumexp distance between vectors; cosine similarity; euclidean distance; cdist
tensors/operations#one-value-per-row-one-value-per-column multiply rows by a vector; subtract the mean of each row; normalize columns
tensors/operations#rounding round a tensor to decimals
tensors/operations#sign-limits-choice clip values; replace negative values with zero; torch.clamp; torch.where; absolute value
tensors/reproducibility#a-stream-of-its-own-torchgenerator torch.Generator; reproducible random_split, train test split; local random state
tensors/reproducibility#dataloader-shuffling-and-workers seed a dataloader; worker_init_fn; reproducible shuffle; random augmentations in workers
tensors/reproducibility#deterministic-algorithms use_deterministic_algorithms; cudnn.deterministic; cudnn.benchmark; CUBLAS_WORKSPACE_CONFIG; nondeterministic operations
tensors/reproducibility#quick-answer reproducible training; set all seeds; same result every run; set seed for numpy, python and torch
tensors/reproducibility#save-restore-and-fork-the-random-state save and restore rng state; get_rng_state; fork_rng; resume training with the same random numbers
tensors/reproducibility#seeds-do-not-fix-rounding outputs on cpu and gpu are slightly different; small numerical differences; floating point differences; results differ in the last digits
tensors/reproducibility#the-same-seed-on-cpu-and-gpu random numbers differ on cpu and gpu; same seed on different gpus
tensors/reproducibility#what-changes-the-numbers-of-a-seed same seed, different numbers; seed on another machine, gpu or version
tensors/reproducibility#why-two-runs-differ different results every run; results change although the seed is set; why is training not deterministic
tensors/reshaping#expand-and-repeat repeat a tensor; tile; duplicate along a dimension; expand or repeat; repeat_interleave
tensors/reshaping#flatten-and-unflatten flatten a tensor; flatten before the linear layer; nn.Flatten
tensors/reshaping#permute reorder, swap dimensions; NHWC to NCHW; HWC to CHW; change the order of axes
tensors/reshaping#reshape change the shape of a tensor; resize; -1 in reshape; convert a 1d tensor to 2d
tensors/reshaping#roll-and-flip reverse a tensor; shift elements; mirror an image
tensors/reshaping#squeeze remove a dimension of size 1; drop a dimension
tensors/reshaping#stack-cat-vstack-hstack concatenate, join, merge, combine tensors; stack or cat; append to a tensor; list of tensors to one tensor
tensors/reshaping#strides contiguous; what does contiguous() do; stride; is_contiguous
tensors/reshaping#transpose-t-and-mt transpose a matrix or a 3d tensor; swap two axes
tensors/reshaping#unbind-split-chunk split a tensor; chunk; iterate over a dimension; divide into equal parts
tensors/reshaping#unsqueeze add a dimension; add a batch dimension to a single image; expand dims; new axis
tensors/reshaping#view what does view do; view(-1); view and memory
tensors/reshaping#view-or-copy is it a view or a copy; does reshape copy; data_ptr
tensors/reshaping#view-vs-reshape view or reshape; difference between view and reshape; when to use view and when reshape
training/loop#a-complete-training-loop training loop example; how to train a model; pytorch training template; basic neural network example
training/loop#average-the-loss-over-samples-not-over-batches average loss of an epoch; running loss; mean of batch losses
training/loop#gradient-clipping-and-learning-rate-schedules clip gradients; exploding gradients; learning rate scheduler, warmup, cosine, step decay; get the current learning rate; change the learning rate
training/loop#inference_mode-and-no_grad-for-evaluation evaluate a model; no_grad in validation; test loop; prediction
training/loop#keep-the-loss-without-waiting-for-the-gpu log the loss; loss.item() or loss.detach()
training/loop#one-update-in-five-steps forward, loss, zero_grad, backward, step; what does optimizer.step() do; order of zero_grad, backward and step
training/loop#plot-the-loss-curve plot training and validation loss; overfitting; loss curve; tensorboard
training/loop#put-an-activation-between-linear-layers why activation functions; relu between layers; model does not learn; loss does not decrease
training/loop#save-a-checkpoint-and-resume save and load a model; best model, save the best weights; state_dict; resume training; checkpoint with optimizer and epoch
training/loop#the-loop-as-two-functions validation loop; accuracy; compute accuracy in evaluation; train and test functions
training/loop#train-and-eval what do model.train() and model.eval() do; dropout and batch norm in evaluation; is eval needed
training/speed#channels-last memory format channels_last; faster convolutions; nhwc
training/speed#compile torch.compile explained; torch.compile is slow, not faster, no speedup; compile time; does torch.compile help; mode max-autotune
training/speed#fused fused or foreach optimizer; faster adam
training/speed#graph-breaks graph break; fullgraph=True
training/speed#order speed up training; training is slow; make training faster; why is my training so slow
training/speed#profiler profile a model; torch.profiler; which operation is slow
training/speed#recompiles torch.compile recompiles with dynamic shapes; compile every batch; dynamic=True
training/speed#slow-part find the slow part; what takes the time; bottleneck; data or gpu bound
`;
