/* The search, in a worker: of the whole site (it takes the place of the theme's worker, by the theme's `search` setting,
   and speaks its protocol) and of the box for errors. It reads what people paste: whole logs with their tracebacks. */
(() => {
  /* What is around an error in a log: colors, progress bars, other languages' quotes, prefixes, the lines of a traceback. */
  const COLORS = /(?:\x1b|␛|\^\[)(?:\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07)|\[(?:\d{1,2};)*\d{1,2}m/g;
  const PREFIX = new RegExp(`^(?:${[
    String.raw`\s+`, String.raw`[>|│E#]\s+`, String.raw`(?:\[?(?:default|rank|local_rank)[ :]?\d+\]?|\d+)\s*:\s*`,
    String.raw`\[[^\]]*(?:\d:\d\d|rank|pid|INFO|WARN|ERROR)[^\]]*\]:?\s*`, String.raw`\(\w+ (?:pid|ip)=[^)]*\)\s*`,
    String.raw`\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d\S*\s*`, String.raw`\d\d:\d\d:\d\d\S*\s+`,
    String.raw`[IWEF]\d{4} \d\d:\d\d:\d\d\S*\s+(?:\d+ )?\S+\]\s*`, String.raw`\[[IWEF](?:\d+ [\d:.]+)? ?[\w./]+\.\w+:\d+\]\s*`, String.raw`\[(?:c10d|PG [^\]]*)\]:?\s*`,
    String.raw`-?\s*(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|FATAL|stderr|stdout)\b(?::[\w.]+:|\s*[:|-]|\s)\s*`, String.raw`-\s+`,
  ].join("|")})+`);
  const NOISE = /^\s*(?:File "(?!.*\w(?:Error|Exception): ).*|Traceback .*|[\^~]+|.*\d+%\|.*|.*\b(?:it\/s|s\/it)\b.*|(?:\[\d+\] )?\{'\w+': .*\}|-{3,}>?.*|\.{3,}|The above exception .*|During handling .*|Original Traceback.*|frame #\d+: .*)$/;
  const ERROR = /(?:^|[\s:>([*'])(?:\w+\.)*((?:[A-Za-z]\w*)?(?:Error|Warning|Exception|Iteration|Interrupt|Unsupported|Failure|CompilerFailed))(?::\**\s+|:?\**$|\(['"])(.*)$/;
  /* What PyTorch said of the same mistakes in earlier versions, and what it says now. */
  const DEVICES = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!";
  const typed = (all, one, other, name) => one.includes("cuda") !== other.includes("cuda") ? DEVICES
    : name === "index" ? "gather(): Expected dtype int32/int64 for index" : /^ind/.test(name) ? all
    : name === "src" ? "scatter(): Expected self.dtype to be equal to src.dtype"
    : name !== "target" ? "expected scalar type Float but found Double" : one.includes("Long") ? "expected scalar type Long but found Float" : "Found dtype Long but expected Float";
  const WINDOWS = { 126: "The specified module could not be found.", 1114: "A dynamic link library (DLL) initialization routine failed.",
    127: "The specified procedure could not be found.", 1455: "The paging file is too small for this operation to complete." };
  const OLD = [
    [/\[?WinError (126|127|1114|1455)\b[^"\n]*?(?:Error loading|$)/gm, (_, number) => `[WinError ${number}] ${WINDOWS[number]} Error loading`],  /* in any language */
    [/(DLL load failed(?: while importing \w+)?): (?!The specified).*/g, "$1: The specified module could not be found."],
    [/(OMP: Error #15: Initializing )\S+(, but found )\S+( already initialized)/g, "$1libiomp5md.dll$2libiomp5md.dll$3"],
    [/relocation error: \S*\/(lib\S+?): symbol (\S+), version (\S+) not defined.*/g, "$1: undefined symbol: $2, version $3"],
    [/using GPU \d+ to perform barrier/g, "using GPU 0 to perform barrier"],
    [/size mismatch, m1: .*|mat1 dim 1 must match mat2 dim 0/g, "mat1 and mat2 shapes cannot be multiplied"],
    [/\bmat ?1 and mat ?2\b/gi, "mat1 and mat2"],
    [/some of the strides of a given numpy array are negative/g, "At least one stride in the given numpy array is negative"],
    [/can't convert a given np\.ndarray to a tensor[^.]*/g, "can't convert np.ndarray of type numpy.object_"],
    [/Expected object of (?:scalar )?type \w+ but (?:got|found) (?:scalar )?type \w+ for argument #\d+ 'mat\d'/g, "mat1 and mat2 must have the same dtype"],
    [/Expected object of (?:device type|backend) \w+ but got (?:device type|backend) \w+ for argument/g, "Expected all tensors to be on the same device, but found at least two devices, for argument"],
    [/Variable\[(torch\.[\w.]+)\]/g, "$1"],
    [/Expected object of type (torch\.\S+) but found type (torch\.\S+) for argument #\d+ '(\w+)'/g, typed],
    [/expected (?:type )?(torch\.\S*Tensor) (?:but got|\(got) (torch\.\S*Tensor)\)?/g, (all, one, other) => typed(all, one, other, "")],
    [/expected CPU tensor \(got CUDA tensor\)|expected CUDA tensor \(got CPU tensor\)|(?:tensors|arguments) are (?:located )?on different GPUs/g, DEVICES],
    [/[Ee]xpected device (?:cuda\S*|cpu) but got device (?:cuda\S*|cpu)/g, DEVICES],
    [/KeyError: '(?:exp_avg|exp_avg_sq|square_avg|betas|momentum_buffer)'/g, "KeyError: 'momentum'"],
    [/[Ee]xpected (?:device|backend) (\S+) and dtype (\w+) but got (?:device|backend) (\S+) and dtype \w+/g, (_, one, dtype, other) => one !== other ? DEVICES : `Found dtype Double but expected ${dtype}`],
    [/Expected tensor for argument #\d+ '\w+' to have the same type as tensor for argument #\d+ '\w+'.*/g, "Input type (torch.FloatTensor) and weight type (torch.HalfTensor) should be the same"],
    [/\w+Class\w*Criterion_updateOutput received an invalid combination of arguments.*/g, "expected scalar type Long but found Float"],
    [/\w+Criterion_updateOutput received an invalid combination of arguments.*/g, "Found dtype Double but expected Float"],
    [/(?:\[enforce fail at [^\]]*\] \S+ )?(?:DefaultCPUAllocator|\$ Torch): not enough memory: you tried\s+to allocate/g, "DefaultCPUAllocator: can't allocate memory: you tried to allocate"],
    [/Expected tensor for argument #\d+ '\w+' to have the same device as tensor for argument #\d+ '\w+'; but device \d+ does not equal \d+/g, DEVICES.replace("cpu", "cuda:1")],
    [/all tensors must be on devices\[0\]/g, "module must have its parameters and buffers on device cuda:0 (device_ids[0]) but found one of them on device: cpu"],
    [/expected (Double|Float|Half) tensor \(got (?:Double|Float|Half) tensor\)/g, "expected scalar type $1 but found Double"],
    [/unexpected key "(module\.)?[^"]*" in state_dict/g, (_, module) => module ? "Unexpected key(s) in state_dict" : "Missing key(s) in state_dict"],
    [/While copying the parameter named \S+, whose dimensions in the model are/g, "size mismatch: copying a param with shape from checkpoint, the shape in current model is"],
    [/storage has wrong size: expected/g, "unexpected EOF, expected more bytes. The file might be corrupted."],
    [/invalid argument \d+: (?:dimension -?\d+ )?out of range.*/g, "Dimension out of range (expected to be in range of"],
    [/index out of range(?: at \S*\/TH.*|: Tried to access index \d+ out of table with \d+ rows)/g, "index out of range in self"],
    [/1D target tensor expected, got \dD|(?<!expected, )multi-target not supported\b.*/g, "0D or 1D target tensor expected, multi-target not supported"],
    [/cannot perform reduction function (\w+) on (?:a )?tensor with no elements because the operation does not have an identity/g, "$1(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."],
    [/Unable to find a valid cuDNN algorithm to run convolution/g, "FIND was unable to find an engine to execute this computation"],
    [/NCCL error: \S+:\d+, NCCL version \S+\s+nccl(System|UnhandledCuda)Error:.*/g, (_, kind) => `NCCL error: unhandled ${kind === "System" ? "system" : "cuda"} error (run with NCCL_DEBUG=INFO for details)`],
    [/Shape mismatch: objects cannot be broadcast to a single shape/g, "Attempting to broadcast a dimension of length 3 at -1! Mismatching argument at index 1 had; but expected shape should be broadcastable to"],
    [/\b(?:InductorError|BackendCompilerFailed): (?:backend=\S+ raised:)?\s*(?:LoweringException: )?/g, "BackendCompilerFailed: BackendCompilerFailed: backend='inductor' raised:\n"],  /* what raised it has a line of its own */
    [/\b[\w.]*collate\w*\(\) missing 1 required positional argument/g, "collate_fn() missing 1 required positional argument"],
    [/NCCL error in: \S+:\d+, unhandled (\w+) error/g, "NCCL error: unhandled $1 error (run with NCCL_DEBUG=INFO for details)"],
    [/The value argument must be within the support/g, "Expected value argument to be within the support of the distribution, but found invalid values"],
    [/size '([^']*)' is invalid for input with (\d+) elements/g, "shape '$1' is invalid for input of size $2"],
    [/input has inconsistent input_size: got (\d+),? expected (\d+)/g, "input.size(-1) must be equal to input_size. Expected $2, got $1"],
    [/Tensor constructor received an invalid combination of arguments - got \([^)]*\bfloat\b.*/g, "argument 'size' failed to unpack the object at pos 2 with error \"type must be tuple of ints,but got float\""],
    [/Can't get local object/g, "Can't pickle local object"],
    [/'(?:list|tuple)' object has no attribute '(?:to|cuda)'/g, "'dict' object has no attribute 'to'"],
    [/gather_out_\w+\(\): Expected dtype int64 for index/g, "gather(): Expected dtype int32/int64 for index"],
    [/PytorchStreamReader failed reading file \S+: invalid header or archive is corrupted/g, "PytorchStreamReader failed reading zip archive: failed finding central directory"],
    [/iter\.device\(arg\)\.is_cuda\(\) INTERNAL ASSERT FAILED[^]{0,300}?expected a CUDA device but found cpu/g, DEVICES],
    [/EOFError: Ran out of input(?<=\bspawn_main\b[^]*)|EOFError: Ran out of input(?=[^]*\bw\.start\(\))/g, "AttributeError: Can't pickle local object"],  /* what a worker says whose program could not be sent to it */
    [/The parameter (\w+) has invalid values/g, "Expected parameter $1 of distribution to satisfy the constraint, but found invalid values"],
    [/Invalid index in (?:gather|scatter\w*)\b.*/g, "index 3 is out of bounds for dimension 0 with size 3"],
    [/please pass in use_reentrant=True or use_reentrant=False explicitly\..*/g, "the use_reentrant parameter should be passed explicitly."],
    [/input is not contiguous at .*/g, "view size is not compatible with input tensor's size and stride"],
    [/matrices expected, got .*/g, "self must be a matrix"],
    [/Need input of dimension 4\b(?:(?! to be of shape).)*(?: to be of shape)?/g, "Given groups=1, weight of size, expected input to have 3 channels, but got 1 channels instead"],
    [/Expected 4-dimensional input for 4-dimensional weight .*|expected 4D tensor as input, got 3D tensor instead.*/g, "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size"],
    [/Gather got an input of invalid size: got/g, "Input tensor at index 1 has invalid shape, but expected"],
    [/Assertion '\w+ >= 0 && \w+ < n_classes' failed.*/g, "Target 5 is out of bounds."],
    [/Assertion 'THIndexTensor_\(size\)\(target, 0\) == batch_size' failed.*/g, "Expected input batch_size to match target batch_size"],
    [/input and target shapes do not match: input/g, "Using a target size (torch.Size) that is different to the input size"],
    [/Target and input must have the same number of elements/g, "Target size (torch.Size([4])) must be the same as input size"],
    [/invalid (?:multinomial|probability) distribution \((?:encountering probability entry|sum of probabilities)/g, "probability tensor contains either inf, nan or element"],
    [/element 0 of variables tuple is volatile|there are no graph nodes that require computing gradients/g, "element 0 of tensors does not require grad and does not have a grad_fn"],
    [/leaf variable has been moved into the graph interior/g, "a leaf Variable that requires grad is being used in an in-place operation."],
    [/bool value of Variable objects/g, "Boolean value of Tensor with more than one value"],
    [/"?(\w+)"? (?:is )?not (?:implemented for|supported on)(?: \w+Type for)?(?: type)? '?(?:torch\.(?:cuda\.)?)?(Half|Long|Int|Byte|Char|Short|Bool|Float|Double)(?:Tensor)?\b'?/g, "\"$1\" not implemented for '$2'"],
    [/\b[\w.]{1,40}: (?:For batch \d+: )?U\(\d+,\d+\) is zero, singular U|Lapack Error getr[fi] ?: U\(\d+,\d+\) is 0, U is singular/g, (all) => all.includes("cholesky") ? "linalg.cholesky: The factorization could not be completed because the input is not positive-definite"
      : "linalg.inv: The diagonal element is zero, the inversion could not be completed because the input matrix is singular."],
    [/Can't pickle <type '\w+'>: attribute lookup \S+ failed/g, "Can't pickle local object"],
    [/unable to write to file <\/torch_\w+>/g, "unable to allocate shared memory(shm) for file </torch_...>: No space left on device"],
    [/cublas runtime error : (?:the GPU program failed to execute|(library not initialized)|(resource allocation failed))/g, (_, started, room) => started ? "CUBLAS_STATUS_NOT_INITIALIZED" : room ? "CUBLAS_STATUS_ALLOC_FAILED" : "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling"],
    [/^.*THCudaCheck FAIL file=.*? error=(\d+) ?:/gm, "RuntimeError: cuda runtime error ($1) :"],
    [/cuda runtime error \(30\) ?: unknown error/gi, "CUDA unknown error - this may be due to an incorrectly set up environment"],
    [/cuda runtime error \(\d+\) ?:/gi, "CUDA error:"],
    [/CUDA error: invalid device function/g, "CUDA error: no kernel image is available for execution on the device"],
    [/CUDA error: no CUDA-capable device is detected/g, "No CUDA GPUs are available"],
    [/CUDA driver version is insufficient for CUDA runtime version/g, "The NVIDIA driver on your system is too old (found version"],
    [/Cannot initialize CUDA without ATen_cuda library.*/g, "Torch not compiled with CUDA enabled"],
    [/which is of cuda capability \S+\.\s+PyTorch no longer supports this GPU because it is too old/g, "with CUDA capability sm_35 is not compatible with the current PyTorch installation."],
  ];
  const renewed = (text) => OLD.reduce((now, [said, says]) => now.replace(said, says), text);
  const plain = (text) => renewed(text.replace(COLORS, "").replace(/\r\n|\\n/g, "\n").replace(/[^\n]*\r/g, "")
    .replace(/[‘’‚‛`´]/g, "'").replace(/[“”„‟«»‹›「」『』]/g, '"'))
    .replace(/^[^\n]{200,}$/, (one) => one.replace(/\[rank\d+\]:|Traceback \(most|\bFile "|(?<![\w.])(?:\w+\.)*[A-Z]\w*(?:Error|Exception): |torch[./]distributed[./]elastic|Root Cause \(/g, "\n$&"))  /* a log that was put into a field of one line */
    .replace(/^.*(?:\d%\||\[\d+:\d\d).*?(?:it\/s|s\/it)[^\]\n]*\](?=.)/gm, "")  /* a bar may have the next message on its line */
    .replace(/^.*\.cu:\d+:.*\bAssertion\b.*$/gm, "RuntimeError: CUDA error: device-side assert triggered")
    .replace(/^.*\bfailed \(exitcode: -?\d+\)\s+local_rank: \d+.*$|^.*\bChildFailedError(?:\($|:.*$)|^\W*(?:Root Cause \(first|error_file\s*:).*$/gm, "ChildFailedError: torch.distributed.elastic.multiprocessing.errors.ChildFailedError")
    .replace(/^(?!.*out of memory).*(?=Tried to allocate [\d.]+ [KMGT]iB)/gm, "OutOfMemoryError: CUDA out of memory. ")  /* messages that lost their beginning */
    .replace(/^(?!.*inplace).*\b(?:is at version \d+; expected version \d+ instead|enable anomaly detection to find the operation that failed to compute its gradient)/gm, "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation")
    .replace(/(Error\(s\) in loading state_dict for )\w+:\s*$/, "Missing key(s) in state_dict")  /* the rest of it was left out */
    .replace(/(DataLoader worker \(pid\S* [^)]*\)) is killed by signal: (?!Bus)\w[\w ]*\.?/g, "$1 exited unexpectedly")  /* another signal says no more than that */
    .replace(/(\w) \(\)/g, "$1()")
    .replace(/expected scalar type (?:Half|BFloat16|Float|Double) but found (?:Half|BFloat16|Float|Double)/gi, "expected scalar type Float but found Double")
    .replace(/CUDA kernel errors might be asynchronously reported at some other API call[^.]*\.|For debugging consider passing CUDA_LAUNCH_BLOCKING\s?=\s?1\.?|Compile with \S*TORCH_USE_CUDA_DSA\S* to enable device-side assertions\.?/g, "")  /* PyTorch says it of every error of CUDA */
    .replace(/\(Triggered internally at[^)]*\)?|https?:\S+| at (?:\/|[A-Z]:[\\/])\S+:\d+/g, "");

  /* What says that another error came before: of a process, and of a compiler. */
  const LATE = /^(?:ChildFailedError|BackendCompilerFailed)$/;
  /* The errors in a text, the last one first, each with its class and the frames before it; of a text without one, all of it. A usual
     class alone says little. */
  const errors = (text) => {
    const found = [];
    let open, ignored, before = [];
    for (const raw of plain(text).split("\n")) {
      const line = raw.replace(PREFIX, ""), said = /^what\(\):\s*(.*)/.exec(line);
      ignored ||= /^Exception ignored in\b/.test(line);  /* by Python, while it ended for another reason */
      const [, name, rest] = said ? [0, "", said[1]] : ERROR.exec(line) ?? [];
      if (rest !== undefined && !NOISE.test(raw) && !/^raise\b/.test(line)) {
        found[ignored ? "push" : "unshift"](open = { name, text: name === "KeyError" && /^['"][\w.]+['"]$/.test(rest) ? `KeyError: ${rest}` : rest, lines: 0, before: before.slice(-80).join("\n").replaceAll("\\", "/") });
        ignored = false;
        before = [];
      } else if (ignored) open = undefined;
      else if (!line || NOISE.test(line) || ++(open ?? {}).lines > 8) open = undefined;
      else if (open) open.text += ` ${line}`;
      before.push(raw);
    }
    const same = (one, two) => one.text === two.text || (one.name === "ChildFailedError" && one.name === two.name);
    const own = found.filter((one, at) => (words(one.text).length > 1 || /^\s*[A-Z]+_[A-Z_]+\b/.test(one.text)) && found.findIndex((two) => same(one, two)) === at);
    const rest = () => plain(text).split("\n").filter((line) => !NOISE.test(line)).map((line) => line.replace(PREFIX, "")).join(" ") || plain(text);
    const wraps = ({ name, text }) => /^Caught \w+ in /.test(text) || LATE.test(name);  /* what another thread or process raised comes after it */
    const causes = own.filter((one) => !wraps(one));
    const [, name, said] = own.length ? [] : /\braise (\w+)\([fr]?["']([^"'\n]{12,})/.exec(plain(text)) ?? [];  /* a frame without its message */
    if (said) own.push({ name, text: said, before: "" }), causes.push(own[0]);
    return causes.length ? [...causes, ...own.filter((one) => LATE.test(one.name))] : own.length ? own : [{ name: found[0]?.name ?? "", text: found[0] ? `${found[0].name} ${found[0].text}` : rest(), before: "", bare: !!found[0] && USUAL.test(found[0].name) }];
  };

  /* Words without numbers, which are the reader's own. */
  const lower = (text) => {
    const small = text.toLowerCase(), short = small.includes("n't") ? small.replace(/n't\b/g, "nt") : small;
    return short.includes("place") ? short.replace(/\bin[- ]place\b/g, "inplace") : short;
  };
  const words = (text) => lower(text).match(/[a-z_]\w*[a-z_]\w*/g) ?? [];
  const QUOTED = /"[^"]*"|(?<![a-z])'[^']*'/gi;  /* what a message quotes is the reader's own */
  const unquoted = (text) => text.replace(/"[^"\s]*"|(?<![a-z])['`][^'`\s]*['`]/gi, " quoted ");
  /* Two words that follow one another: a message is its words in their order. */
  const pairs = (list) => list.slice(1).map((word, at) => `${list[at]} ${word}`);
  const tokens = (text) => lower(text).match(/[a-z_]\w+|\b\dd\b/g) ?? [];
  const dotted = (text) => text.toLowerCase().match(/[a-z_]\w*(?:\.[a-z_]\w*)+/g) ?? [];
  const STOP = new Set(("a an and are as at be been but by can could did do does for from get gets getting give gives had has have how i if in " +
    "into is it its my of on or our so should that the their them there these they this to use using was what when where which while " +
    "who why will with work works would you your mean means difference between vs versus best way explain explained pytorch torch").split(" "));
  /* Words that say little, in a question of other words. */
  const LITTLE = ("still need needs needed well also just even really actually always ever much many more most very too quite some any all " +
    "other others another each every both either same such like than then during inside under over without again now only out back up down off " +
    "make makes making made happen happens happened call calls called give gives run runs running good right normal correct properly no not there " +
    "one two first last new old whole because whether understand understanding want wants try tried trying possible able purpose worth worry using ideal " +
    "fix fixing bug issue issues problem problems question practice practices help tip tips easy simple necessary conveniently efficiently " +
    "find finding found handle handles handling affect affects behave behaves behaviour behavior seems specific certain particular different differently " +
    "exactly whose flag proper implementation implement implementing perform unexpected calculate compute method while via through entire whats hello hi thanks thank please author authors paper repo repository wonder wondering curious tell know anyone someone support supports supported request plan strategy currently " +
    "multiple several neural convolutional network networks dont doesnt didnt isnt cant").split(" ");
  const VAGUE = /^(?:a|an|and|are|be|between|difference|do|does|explain\w*|how|in|is|mean\w*|of|or|the|vs|versus|what|when|where|which|why|you|your|pytorch|torch)$/;
  /* Two names of one thing. */
  const SAME = { __proto__: null, distributeddataparallel: "ddp", fp16: "float16", bf16: "bfloat16", fp32: "float32", fp64: "float64",
    optimizer: "optimizer", optimizers: "optimizer", optimiser: "optimizer", param: "paramet", params: "paramet", lr: "learn", bs: "batch" };
  const shortened = (word) => {
    if (/^\dd$/.test(word)) return "dimens";
    if (SAME[word]) return SAME[word];
    if (/[_\d]/.test(word) || word.length < 4) return word;
    const end = word[word.length - 1], bare = end !== "s" && end !== "d" || /(?:ss|us|is|as|os)$/.test(word) ? word : word.replace(/ie[sd]$/, "y").replace(/s$/, "");
    if (!/[detnrgyl]$/.test(bare)) return bare.replace(/([^l])\1$/, "$1");
    return (bare.length > 5 ? bare.replace(/([a-z]{4})is(e|ed|er|ing|ation)$/, "$1iz$2")
      .replace(/([a-z]{4})(?:at(?:e|ed|ing|ion|or)|ment)$|(?:[ai]bility|[ai]bly|[ai]ble|ing|ed|er|ional|ion|ly)$/, "$1") : bare).replace(/([^l])\1$/, "$1").replace(/e$/, "");
  };
  const STEMS = new Map();  /* of each word that was asked for once */
  const stem = (word) => STEMS.get(word) ?? STEMS.set(word, shortened(word)).get(word);
  const LIGHT = new Set(LITTLE.map(stem));
  /* What people call things that these pages call otherwise. */
  const ALSO = Object.assign(Object.create(null), Object.fromEntries(`
    gpu cuda; graphics gpu cuda; nvidia cuda gpu; apple mps mac; mac mps; macbook mps mac; keep keepdim; m1 mps; m2 mps; metal mps; ram memory; vram memory; oom memory;
    float16 half; half float16; float64 double; int8 dtype; amp autocast; mixed autocast; precision autocast dtype;
    freeze requires_grad; frozen requires_grad; crash error; cast dtype; type dtype; datatype dtype; convert to; conversion to;
    transfer move to; send move to; put move to; copy clone copy; duplicate clone; shape size reshape; resize reshape; flatten reshape;
    swap permute transpose; concatenate cat; concat cat; join cat stack; merge cat stack; combine cat stack; slice index; select index; pick index;
    average mean; maximum max; minimum min; argmax max; multiply matmul; dot matmul; multiplication matmul; seed reproducib random manual_seed; random seed;
    deterministic reproducib; gradient grad backward; gradients grad; derivative grad; backprop backward; detach grad; accumulate accumulation;
    faster speed; slow speed; slower speed; fast speed; performance speed; multiple several; distributed ddp parallel; multigpu parallel ddp; ddp distributed;
    sharded fsdp; nan inf; infinity inf; save state_dict load; checkpoint checkpoint state_dict; restore load; check available; detect available; verify available;
    install get; loader dataloader; batch dataloader; worker num_workers; worker worker; numpy numpy; array numpy; list tensor; mask mask where;
    remove squeeze drop; axes dim permute transpose; axis dim; equal same close; hwc permute channel; chw permute channel; warmup schedul; validation eval; loop train; list dict nested; dict nested; resume checkpoint; view view reshape; empty empty_cache; clear empty_cache free; release empty_cache free; free empty_cache;
    leak memory; shared share; train train; eval eval; inference no_grad; compile compile; jit compile; profile profiler time; benchmark time; measure time;
    optimize reduce faster speed; accelerate speed; speedup speed; quick speed; boost speed; throughput speed; decrease reduce; lower reduce; shrink reduce;
    minimize reduce; less reduce; insufficient out; exceed out; ragged pad length; variable length; append cat stack; insert cat; prepend cat; tile repeat;
    triangular tril mask; upper triu tril; reverse flip; order sort; largest max topk; biggest max; highest max; smallest min; lowest min; top topk;
    normalize mean std; normalise mean std; standardize mean std; variance var; percentile quantile; clamp clip limit; truncate round; display print; show print;
    contain isin; exist isin; filter mask; condition mask where; conditional where mask; threshold mask where; extract index select; onehot one_hot; categorical one_hot;
    identical same reproducib; consistent reproducib; inconsistent reproducib differ; nondeterministic deterministic reproducib; determinism deterministic;
    deadlock hang; stuck hang; hang stuck; bottleneck slow; stall slow wait; latency time; elapsed time; duration time; timer time; synchronize wait; async asynchron non_blocking;
    multiprocessing worker process; launch torchrun; slurm torchrun; cluster node torchrun; continue resume; restart resume; store save; export save; weight paramet;
    network model; net model; backpropagation backward; backpropagate backward; differentiate grad backward; jacobian grad; unfreeze freeze requires_grad;
    extend cat; enlarge cat; increase grow; multi several; huge large; big large; f1 accuracy; recall accuracy; metric accuracy; imbalance weight class; unbalanced class weight; imbalanced class weight; logits softmax; sigmoid bcewithlogitsloss; bce bcewithlogitsloss; label target; broadcast expand;
    dataframe pandas; csv pandas; opencv image; pil image; picture image; jupyter notebook; colab notebook; nvcc toolkit; microbatch accumulation; batchsize batch;
    clip clip; scaler gradscaler; loss loss; sum sum; axis dim; dimension dim; row index; column index; random random; one_hot one_hot; zero zero`
    .split(";").map((line) => line.trim().split(" ")).map(([word, ...others]) => [stem(word), others.map(stem)])));

  const LETTER = new Uint8Array(128).map((_, code) => /[a-z_]/.test(String.fromCharCode(code)) ? 1 : /\d/.test(String.fromCharCode(code)) ? 2 : 0);
  /* Words and dotted names, from one pass over the text: `own` is called with each, as it stands there, and whether it is letters alone. */
  const scan = (text, own) => {
    for (let at = 0, end = text.length; at < end;) {
      if (LETTER[text.charCodeAt(at)] !== 1) { at++; continue; }
      const start = at++;
      let plain = text.charCodeAt(start) !== 95;
      for (; at < end; at++) {
        const code = text.charCodeAt(at);
        if (code > 96 && code < 123) continue;
        if (!LETTER[code] && (code !== 46 || LETTER[text.charCodeAt(at + 1)] !== 1)) break;
        plain = false;
      }
      own(text.slice(start, at), plain);
    }
  };

  /* The stems of what a question is about. */
  const bare = (asked) => {
    const found = new Set(), own = (word) => { if (word.length > 1 && !STOP.has(word)) found.add(stem(word)); };
    scan(lower(asked), (raw, plain) => {
      if (plain) return own(raw);
      for (const word of raw.match(/[a-z_]\w+/g) ?? []) own(word);
      if (raw.includes(".")) own(raw);
    });
    for (const word of /\b\dd\b/i.test(asked) ? asked.toLowerCase().match(/\b\dd\b/g) : []) own(word);
    return found.size ? [...found] : words(asked).map(stem);  /* what is PyTorch? */
  };

  const text = (html) => html.replace(/<[^>]+>/g, "").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&amp;/g, "&");
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const grams = (word) => new Set([...word].map((_, at) => ` ${word} `.slice(at, at + 3)));
  const alike = (one, other) => [...one].filter((gram) => other.has(gram)).length * 2 / (one.size + other.size);
  const parts = (found) => found.flatMap((word) => [word, ...(word.includes("_") ? word.split("_").filter((part) => part.length > 2) : /^[a-z]{4,}\d$/.test(word) ? [word.slice(0, -1)] : [])]);

  /* The sections with how often each word is in their parts. A message is a section about one, by its address. */
  const MESSAGE = /#err-|(?:^|\/)errors\/[^#]+/, ASIDE = /#(?:next|exercises?|solutions?|see-also|sources?|_?\d+)\b|^about\/|^notebooks\/|^reference\/(?:claims|versions|apis)/;
  /* Pages on one case of what another page is about: they come first only if the question names it. */
  const SPECIAL = [
    [/^amp\/gradscaler/, /scal|amp|mixed|fp16|float16|half/], [/^devices\/mps/, /\bmps|mac|apple|metal|\bm[1-4]\b/],
    [/^parallel\//, /parallel|ddp|fsdp|distribut|multi|several|gpus|rank|torchrun|nccl|process|reduce|node|shard/],
  ];
  /* A question about a failure is answered by a section about one. */
  const SYMPTOM = /\b(?:nan|inf|hang\w*|stuck|freez\w*|slow\w*|\w*errors?|fail\w*|killed|grows?|growing|out of memory|wrong|leak\w*|crash\w*|\w*warning|cannot|not|none)\b/;
  /* The parts of a section, with how much a word in each of them says. */
  const WEIGHTS = [6, 2, 1, .35, 1], [TITLE, PAGE, PROSE, CODE, ASKED] = WEIGHTS.keys();
  /* Of each word or dotted name that was met once, the numbers of the words that it counts as; a name in a dotted one is a word too. */
  const meanings = (exact, vocabulary, known) => {
    const numbered = (key) => known.get(key) ?? (vocabulary.push(key), known.set(key, vocabulary.length - 1), vocabulary.length - 1);
    const met = new Map();
    return (raw, plain) => {
      let found = met.get(raw);
      if (!found) met.set(raw, found = (plain ? raw.length > 1 ? [raw] : [] : [...parts(words(raw)), ...(raw.includes(".") ? [raw] : [])]).map((word) => {
        const key = exact.get(word) ?? stem(word);
        exact.set(word, key);
        return numbered(key);
      }));
      return found;
    };
  };
  const once = (make) => { let made; return () => (made ??= make()); };
  /* The index of the site is made when the site is built (search_index.py): its sections, page by page, in columns: location or anchor,
     title, prose, names in the code, and what people ask. That of the box comes from the rows of its page. */
  const rows = (data) => {
    if (!data.docs.columns) return data.docs.map(({ location, title, text: html, fits }) => ({ location, title, fits, page: location.split("#")[0], prose: text(html), code: [], asked: "" }));
    const [locations = [], titles, proses, codes, questions] = data.docs.columns;
    let page;
    return locations.map((location, at) => {
      const title = titles[at], prose = proses[at], code = codes[at], asked = questions[at];
      if (location[0] !== "#") page = location;
      return { location: location[0] === "#" ? page + location : location, title, page, prose, code: code ? code.split("\n") : [], asked };
    });
  };
  const build = (data) => {
    const { flat } = data, titles = {}, exact = new Map(), vocabulary = [], known = new Map(), numbers = meanings(exact, vocabulary, known), docs = rows(data);
    for (const { location, page, title } of docs) if (location === page) titles[page] = title;
    let all = new Int32Array(1 << 19), length = 0;
    const own = (raw, plain) => {
      for (const one of numbers(raw, plain)) {
        if (length === all.length) { const more = new Int32Array(length * 2); more.set(all); all = more; }
        all[length++] = one;
      }
    };
    const ends = new Int32Array(docs.length * WEIGHTS.length), total = WEIGHTS.map(() => 0);
    const sections = docs.map((doc, at) => {
      const { page } = doc, whole = doc.location === page, title = text(doc.title);
      [title, whole ? "" : text(titles[page] ?? ""), doc.prose, doc.code.join("\n"), doc.asked].forEach((part, field) => {
        const start = length;
        scan(lower(part), own);
        ends[at * WEIGHTS.length + field] = length;
        total[field] += length - start;
      });
      return section(doc, at, title, text(titles[page] ?? ""), flat);
    });
    /* For each word its sections, one after the other: which one, how much it says there, and whether it is in the titles. */
    const many = vocabulary.length, average = total.map((sum) => Math.max(1, sum / docs.length)), sums = new Float64Array(many), inside = new Uint8Array(many);
    const touched = new Int32Array(many), from = new Int32Array(many + 1), last = new Int32Array(many).fill(-1);
    for (let at = 0, token = 0; at < docs.length; at++) {
      for (const end = ends[(at + 1) * WEIGHTS.length - 1]; token < end; token++) if (last[all[token]] !== at) last[all[token]] = at, from[all[token] + 1]++;
    }
    for (let word = 0; word < many; word++) from[word + 1] += from[word];
    const next = from.slice(), where = { at: new Int32Array(from[many]), weight: new Float32Array(from[many]), inside: new Uint8Array(from[many]) };
    for (let at = 0, token = 0; at < docs.length; at++) {
      let count = 0;
      for (let field = 0; field < WEIGHTS.length; field++) {
        const end = ends[at * WEIGHTS.length + field], each = WEIGHTS[field] / (.4 + .6 * (end - token) / average[field]);
        for (; token < end; token++) {
          const word = all[token];
          if (!sums[word]) touched[count++] = word;
          sums[word] += each;
          inside[word] |= 1 << field;
        }
      }
      for (let one = 0; one < count; one++) {
        const word = touched[one], place = next[word]++;
        where.at[place] = at;
        where.weight[place] = sums[word] / (1.5 + sums[word]);
        where.inside[place] = inside[word];
        sums[word] = inside[word] = 0;
      }
    }
    const index = { flat, titles, sections, exact, vocabulary, known, from, where, count: docs.length };
    for (const section of sections) {
      section.asked = once(() => (section.doc.asked ? section.doc.asked.split("\n").map(bare).filter((one) => one.length) : [])
        .map((stems) => ({ stems, whole: stems.reduce((sum, word) => sum + worth(index, word), 0) })));
      section.worth = once(() => [...section.said()].reduce((sum, word) => sum + rare(index, stem(word)), 0));
      section.order = once(() => [...section.pairs()].reduce((sum, pair) => sum + paired(index, pair), 0));
    }
    return index;
  };
  /* What a section is compared by, made when a question comes to it. */
  const section = (doc, at, title, about, flat) => {
    const message = flat || MESSAGE.test(doc.location), spans = once(() => (message && doc.title.startsWith("<code>") ? [...doc.title.matchAll(/<code>(.*?)<\/code>/gs)].map((span) => text(span[1])).join(" ") : ""));
    const named = once(() => spans().replace(QUOTED, " ")), short = once(() => words(named()).length < 3);
    const pairsOf = once(() => new Set(pairs(words(!flat ? "" : short() ? spans() || title : unquoted(spans())).map(stem))));
    return {
      doc, at, page: doc.page, whole: doc.location === doc.page, title, message, aside: ASIDE.test(doc.location), prose: doc.prose, code: doc.code, fits: doc.fits ?? [],
      literal: /^<code>.*<\/code>(?: from .*)?$/.test(doc.title),  /* not the name of a failure without a message */
      quoted: once(() => new Set(spans().toLowerCase().match(/(?<=["'])\w+(?=["'])/g))),
      said: once(() => new Set(words(short() ? spans() || title : named()))),
      pairs: pairsOf,
      begin: once(() => [...pairsOf()].slice(0, 2)),
      about: once(() => new Set(parts(words(about)).map(stem))),
      phrase: once(() => ` ${words(title).join(" ")} `),
      questions: once(() => new Set(doc.asked.split("\n").map((one) => ` ${words(one).join(" ")} `))),
    };
  };
  const has = (index, word) => index.known.has(word);
  /* In how many sections a word is. */
  const often = (index, word) => { const one = index.known.get(word); return one === undefined ? 0 : index.from[one + 1] - index.from[one]; };
  const inSection = (index, word, { at }) => { const one = index.known.get(word); return one !== undefined && index.where.at.subarray(index.from[one], index.from[one + 1]).includes(at); };
  const rare = (index, word) => (has(index, word) ? Math.log(1 + index.count / (often(index, word) + .5)) : Math.log(1 + index.count * 2));
  const worth = (index, word) => rare(index, word) * (LIGHT.has(word) ? .5 : 1);

  const paired = (index, pair) => pair.split(" ").reduce((sum, word) => sum + (word === "quot" ? .5 : rare(index, word)), 0);
  /* What a message and an entry have in common in the same order: its share in the entry, its share in the message, the longest part that
     begins where the entry does, and all of it. */
  const ordered = (index, section, said) => {
    let all = 0, both = 0, run = 0, longest = 0, first;
    for (const [pair, worth] of said) {
      all += worth;
      if (!section.pairs().has(pair)) { run = 0; continue; }
      both += worth;
      if (!run) first = pair;
      run += worth;
      if (section.begin().includes(first)) longest = Math.max(longest, run);
    }
    return [Math.min(1, both / (section.order() || 1)), both / (all || 1), longest, both];
  };

  /* A word that no section has is a beginning of one, or counts as the one that is most like it. */
  const meant = (index, word, last) => {
    if (has(index, word)) return [[word, 1]];
    const begun = last ? index.vocabulary.filter((known) => known.startsWith(word)).sort((a, b) => often(index, b) - often(index, a)).slice(0, 5) : [];
    if (begun.length) return begun.map((known) => [known, .8]);
    const own = grams(word);
    index.alike ??= index.vocabulary.map((known) => [known, grams(known)]);
    const [best, found] = index.alike.reduce((top, [other, theirs]) => { const near = alike(own, theirs); return near > top[0] ? [near, other] : top; }, [.55]);
    return found ? [[found, best]] : [];
  };

  /* Each wanted word is a list of words that will do, with how well. */
  const wanted = (index, given, pasted, typing) => {
    const asked = pasted ? given : given.replace(/distributed ?data ?parallel/gi, "ddp").replace(/(?<!\w)\.?to(?:\(\))?,? (?:vs\.?|versus|or|and) \.?cuda\b(?:\(\))?/gi, "x.to(device) or x.cuda()").replace(/\bdata parallel\b/gi, "dataparallel").replace(/\b(b?float|u?int|[bf]p) (?=(?:8|16|32|64)\b)/gi, "$1").replace(/(^|\s)`?@`?(?=\s|$)/g, " matmul ")
      .replace(/\b(?:pytorch |torch )?[12]\.\d+\b\W*(?:to|and|vs\.?|versus|or|from|->|→|-)\W*(?:pytorch |torch )?[12]\.\d+\b/gi, " changed upgrade version ")  /* 2.11 to 2.15 */
      .replace(/\b(changed?|changes|new)\b(.*)\b(?:pytorch |torch )?[12]\.\d+\b/i, "$1$2 version upgrade ");
    const split = (word) => (word.includes("_") && !has(index, word) ? word.split("_").filter((part) => part.length > 2) : [word]);
    const own = pasted ? words(asked) : [...tokens(asked).flatMap(split), ...dotted(asked)], few = own.filter((word) => !STOP.has(word) && !STOP.has(stem(word)));
    const named = new Set((asked.match(/\b(?!GPU|CPU|CUDA|RAM)[A-Z][A-Za-z]*[A-Z]\w*/g) ?? []).map((word) => word.toLowerCase()));  /* DDP, LayerNorm */
    const some = pasted || few.length < 2 ? own.filter((word) => pasted || !VAGUE.test(word)) : few, list = some.length ? some : own;
    const names = [...asked.toLowerCase().matchAll(/\b(np|torch|tensor|nn|model|optimizer)[. ](?=([a-z_]\w+))/g)].map(([, one, two]) => `${one}.${two}`);
    const joined = pasted ? [] : [...few.slice(1).flatMap((word, at) => [few[at] + word, `${few[at]}_${word}`]), ...names].filter((word) => has(index, word));
    const had = new Set(list.map(stem));  /* a word that the question has counts once, and not for its synonym again */
    const terms = [...new Set([...list, ...joined])].map((word, at) => {
      const will = meant(index, stem(word), typing && word === own.at(-1));
      const also = pasted ? [] : (ALSO[stem(word)] ?? []).filter((other) => !had.has(other)).map((other) => [other, .6]);
      const best = (will[0] ?? also[0])?.[0], weight = pasted ? 1 : (/[_.]/.test(word) ? 1.6 : named.has(word) ? 1.8 : 1) * (LIGHT.has(stem(word)) ? .5 : 1);
      return { word, will: [...will, ...also], extra: !list.includes(word), worth: weight * (best ? rare(index, best) : 3) };
    }).filter(({ will }, at) => will.length || at < 40).slice(0, 60);
    terms.all = terms.reduce((sum, { extra, worth }) => sum + (extra ? 0 : worth), 0);
    terms.how = new Map(terms.filter(({ extra }) => !extra).flatMap(({ will }) => will.toReversed()));
    return terms;
  };

  /* How much two questions have in common: the section's own, the most alike, and the reader's, whose words are worth `all`. */
  const likeness = (index, section, terms, all) => {
    const found = section.asked().map(({ stems, whole }) => {
      let both = 0;
      for (const word of stems) if (terms.how.has(word)) both += worth(index, word) * terms.how.get(word);
      return (2 * both / (all + whole)) ** 2;
    }).sort((one, other) => other - one);
    return [1, .3, .15].reduce((sum, part, at) => sum + part * (found[at] ?? 0), 0);
  };
  /* The sections that have words of a text, and what of it each of them has, in its titles and anywhere. */
  const having = (index, terms) => {
    const found = new Map();
    for (const { will, extra, worth } of terms) {
      const words = new Map();
      for (const [word, how] of will) {
        const one = index.known.get(word) ?? -1;
        for (let at = index.from[one]; at < index.from[one + 1]; at++) {
          const section = index.sections[index.where.at[at]], inside = index.where.inside[at];
          const top = words.get(section) ?? words.set(section, { best: 0, said: 0, title: 0, about: 0, named: false, asked: false }).get(section);
          top.best = Math.max(top.best, how * index.where.weight[at]);
          top.said = Math.max(top.said, how);
          top.asked ||= !!(inside & 1 << ASKED);
          if (inside & 1 << TITLE) top.title = Math.max(top.title, how);
          if (section.about().has(word)) top.about = Math.max(top.about, how);
          top.named ||= how > .6 && !!(inside & 1 << PAGE);
        }
      }
      for (const [section, { best, said, title, about, named, asked }] of words) {
        const all = found.get(section) ?? found.set(section, { sum: 0, covered: 0, titled: 0, paged: 0, named: false, asked: false }).get(section);
        all.sum += worth * best * (extra ? .5 : 1);
        all.named ||= named;
        all.asked ||= asked;
        if (extra) continue;
        all.covered += worth * said;
        all.titled += worth * title;
        all.paged += worth * about;
      }
    }
    return found;
  };
  /* Of a question: what a section says of its words. Of a message: how much of the one is in the other. Then how much of what was
     asked is covered, and of a message its share in the other one plus the other one's share in it. */
  const score = (index, section, found, terms, pasted, asked) => {
    const { sum, covered, titled, paged, named } = found, { all } = terms;
    if (!all) return [0, 0, 0];
    if (pasted && (section.literal || index.flat)) return [titled / all + (covered - titled) / all / 4 + titled / (1 + section.worth()) / 2, section.said().size > 2 && titled > .75 * section.worth() ? 1 : (titled + (covered - titled) / 2) / all, titled / all + titled / (section.worth() || 1)];
    const cover = covered / all;
    const value = sum / all * cover ** 1.5 + .5 * titled / all;
    const topic = SPECIAL.some(([page, asks]) => page.test(section.page) && !asks.test(asked)) ? .65 : named ? 1.15 : 1;
    const like = found.asked && Math.max(+(/\w \w/.test(asked) && section.questions().has(asked)), likeness(index, section, terms, all)) * (pasted ? .4 : 1.5);
    const phrase = section.phrase().includes(asked) ? section.message ? 2 : 1.4 : section.message && !SYMPTOM.test(asked) ? .45 : section.whole ? 1.2 : 1;
    return [(value * topic * (1 + .2 * paged / all) * (pasted ? .7 : phrase) + like) * (section.aside && like < 1.2 ? .5 : 1), cover, 1];
  };

  const QUESTION = /^\s*(?:how|what|why|when|where|which|who|do|does|did|is|are|can(?!')|could|should|must|difference|preferred|best)\b|\?\s*$/i;
  const maybePasted = (asked) => !QUESTION.test(asked) && (/\w\s+\w+\s+.*[:!(\[].*\d|[:!]\s|'\w/.test(asked) || words(asked).length > 9);
  const WEAK = .4, LEAST = .35;
  /* Of words that follow one another: what is a match of two long texts, and what of a text that is only a message's beginning or holds it whole (then a LONG one). */
  const ORDER = .4, WHOLE = .9, BEGUN = 18, SOME = 6, LONG = 20;
  /* A few usual words are no match. What is in common must be most of the entry, or worth this much, or worth less and all that the message says. */
  const MOST = .62, MUCH = 30, PART = 12;
  const USUAL = /^(?:Runtime|Value|Type|Attribute|Index|Key|Assertion|OS|Import|NotImplemented|ModuleNotFound|)Error$|^$/;
  const isCode = (asked) => /\w\.\w|\w_\w|\w\(|=/.test(asked) && words(asked).length < 8;
  /* The dtypes that an operation may lack, as the pages have them: for integers it matters what the operation does. */
  const kind = (dtype, operation) => /^b?(?:half|float16)$/i.test(dtype) ? "half" : /^(?:float|double)$/i.test(dtype) ? "float" : !/^(?:long|int|short|byte|char)$/i.test(dtype) ? "rare"
    : /mm|dot|mv|conv/.test(operation) ? "integers multiplied" : /uniform|normal/.test(operation) ? "integers drawn" : "integers";
  const DTYPE = /^(?:half|float|double|long|int|short|byte|char|bool|b?float\d+\w*|u?int\d+|complex\w*|torch)$/i;
  /* Messages of one form are other errors if what they are about differs. */
  const key = (text) => /^KeyError: ['"]([\w.]+)['"]$/.exec(text)?.[1];
  const ABOUT = [/\[WinError (\d+)\]/, /DLL load failed while importing (\w+)/, /^KeyError: ['"]([\w.]+)['"]$/, /(\w+)\(\) missing \d+ required positional argument/, /Can't get attribute '(_rebuild\w+)'/, /(\w+)(?:\(\))? received an invalid combination/, /'([\w.]+' object is not \w+)/, /Expected tensor .*?to have (?:one of the following )?(scalar|size)/]
    .map((form) => (text) => form.exec(text)?.[1]);
  /* Of these only where both texts say it: an older wording may not. */
  const ALSO_ABOUT = [
    (text) => /CUDA error: ([a-z]+[- ]\w+)/.exec(text)?.[1],
    (text) => { const found = /Missing key\(s\) in state_dict: "(module\.)?/.exec(text); return found && (found[1] ?? "of the model"); },
    (text) => { const [, ...two] = /must have the same dtype, but got (\w+) and (\w+)/.exec(text) ?? []; return two.length ? `16 bits: ${two.every((one) => /Half|Float16/.test(one))}` : undefined; },
    (text) => /arguments from the '(\w+)' backend/.exec(text)?.[1].replace(/^(?!MPS).*/, "CUDA"),
    (text) => { const [all, name, what] = /(?:"(\w+)" )?not implemented(?: for\W*(\w+))?/.exec(text) ?? []; return DTYPE.test(what) ? kind(what, name) : what ?? all; },
  ];
  const ASSERT = "INTERNAL ASSERT FAILED";
  /* The lack of an attribute is another error if what says so is quoted: of classes that any program has, the class and the attribute; of
     classes that are the error itself, the class; of others the attribute. */
  const ANY = /^(?:NoneType|Tensor|torch\.Size|builtin_function_or_method|int|str|list|tuple)$/, ITSELF = /^(?:DataParallel|DistributedDataParallel|OrderedDict|ndarray|DataLoader)$/;
  const lacks = (text) => { const [, name, attribute] = /'([\w.]+)' object has no attribute '(\w+)'/.exec(text) ?? []; return [name?.replace(/^(?:collections|numpy)\./, ""), attribute]; };
  const otherwise = (asked, title) => {
    const [[mine, my], [its, own]] = [asked, title].map(lacks);
    return mine && (!its || (mine === "NoneType" && its !== mine) || (ITSELF.test(its) || ITSELF.test(mine) || ANY.test(its) ? mine !== its : false) || (!ITSELF.test(its) && my !== own));
  };
  /* What a module lacks is another error if the entry quotes another name; an entry that quotes none (`...`) is about all of its package. */
  const lacking = (text) => /module '(\w+)[\w.]*' has no attribute '([\w.]+)'/.exec(text);
  const elsewhere = (asked, title) => {
    const [mine, its] = [asked, title].map(lacking);
    return mine && its && (its[2] === "..." ? mine[1] !== its[1] : mine[2] !== its[2]);
  };
  /* A module that is not found is another error if it has another name, but for one that a file of the reader's was saved with. */
  const missing = (text) => /No module named '?([\w.]+)/.exec(text)?.[1];
  /* What a page says of its sections, in its front matter: the words that one of them needs, or is known by, and the reader's numbers. */
  const around = ({ before, text }) => `${before}\n ${text}`;
  const unfit = (error, { fits }) => !!fits[0]?.only && !fits[0].only.some((word) => around(error).includes(word));
  const numbers = (template, text) => {
    const names = [], form = template.split(/\{(\w+)\}/).map((part, at) => (at % 2 ? names.push(part) && "(-?\\d+)" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))).join("");
    const found = new RegExp(form).exec(text);
    return found && Object.fromEntries(names.map((name, at) => [name, +found[at + 1]]));
  };
  const OPERATIONS = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b, "%": (a, b) => a % b };
  const sum = (text, given) => {
    const [first, ...rest] = text.split(" ").map((part) => OPERATIONS[part] ?? given[part] ?? +part);
    for (let at = 0, all = first; ; at += 2) { if (at >= rest.length) return all; all = rest[at](all, rest[at + 1]); }
  };
  const holds = (condition, given) => condition.split(" and ").every((part) => {
    const [one, is, other] = part.split(/ ([=!]=) /);
    return (sum(one, given) === sum(other, given)) === (is === "==");
  });
  /* The section of an entry that fits an error, and what it says with the error's numbers. */
  const fitting = (error, { fits }) => {
    if (!fits.length) return {};
    const text = around(error), told = fits.map(({ seen = [], numbers: form, says = [], otherwise: rest, shapes }) => {
      const given = form && numbers(form, text), said = given && says.find(([condition]) => holds(condition, given))?.[1];
      const filled = (some) => some?.replace(/\{([^}]*)\}/g, (_, part) => sum(part, given));
      return { seen: seen.filter((word) => text.includes(word)).length, holds: !!said, says: given ? filled(said ?? rest) : undefined, shapes: given && shapes?.map((shape) => shape.map((name) => given[name])) };
    });
    const most = Math.max(...told.map(({ seen }) => seen));
    const at = Math.max(0, most ? told.findIndex(({ seen }) => seen === most) : told.findIndex((one) => one.holds));
    return { at: fits[at].at, says: told[at].says, shapes: told[at].says && told[at].shapes };
  };
  const strange = (asked, { title, fits }) => {
    if (otherwise(asked, title) || elsewhere(asked, title)) return true;
    if (missing(asked)) return !missing(title) || !(missing(asked) === missing(title) || fits[0]?.only);
    if (ABOUT.some((about) => about(asked) && about(asked) !== about(title))) return true;
    if (ALSO_ABOUT.some((about) => about(asked) && about(title) && about(asked) !== about(title))) return true;
    const [, denied] = /object is (not \w+)/.exec(title) ?? [];
    if (denied && !asked.includes(denied)) return true;
    const [mine, its] = [asked, title].map((one) => words(one.includes(ASSERT) ? one.split(ASSERT)[0] : ""));
    if (its.length && !its.some((word) => mine.includes(word))) return true;
    const [, given] = /got an unexpected keyword argument '(\w+)'/.exec(asked) ?? [];
    return !!given && !title.includes(`'${given}'`);
  };
  const rank = (index, asked, found, pasted) => {
    const best = new Map(), pages = new Map(), phrase = ` ${words(asked).join(" ")} `;
    const texts = found.map((one) => one.text.slice(0, 1500).replace(/\bCUDA out of memory\b(?!\. Tried)/g, "CUDA out of memory. Tried to allocate")
      .replace(/^(?!.*Weights only load failed)(?=.*WeightsUnpickler error)/s, "Weights only load failed ")
      .replace(/\bWeights only load failed\b(?!\. This)/g, "$&. This file can still be loaded, to do so you have two options"));
    const quoted = texts.map((text) => text.toLowerCase().match(/(?<=["'])\w+(?=["'])/g) ?? []);
    const terms = found.slice(0, 4).map((one, at) => wanted(index, `${USUAL.test(one.name) ? "" : one.name} ${texts[at]}`, pasted, !/\s$/.test(asked)));
    terms.forEach((some, at) => {
      const read = new Map(some.map(({ word, will }) => [word, will[0]?.[0]]));
      const said = new Map(pairs(words(unquoted(texts[at])).map((word) => read.get(word) ?? stem(word))).map((pair) => [pair, paired(index, pair)]));
      const length = [...said.values()].reduce((sum, worth) => sum + worth, 0);
      for (const [section, has] of having(index, some)) {
        const [value, cover, both] = score(index, section, has, some, pasted, phrase), literal = index.flat && pasted && value;
        const [theirs, ours, begun, shared] = literal ? ordered(index, section, said) : [1, 0, 0, 0];
        const score_ = value * (1 - .04 * at) + (literal && quoted[at].some((word) => section.quoted().has(word)) ? .02 : 0) + (literal ? .2 * (theirs + ours + Math.min(1, begun / BEGUN)) : 0);
        if (score_ <= (best.get(section)?.score ?? 0)) continue;
        const certain = begun > BEGUN || (ours > .99 && length > SOME);
        const scattered = section.pairs().size > 1 && said.size && both < 1.5 && Math.max(theirs, ours) < ORDER;
        const beside = at > 0 && /Warning$/.test(found[at].name) && !/Warning$/.test(found[0].name);  /* the program went on after it */
        const common = theirs >= MOST || shared >= MUCH || (cover > .99 && (shared >= PART || !said.size));
        const same = [key, missing].some((named) => named(found[at].text) && named(found[at].text) === named(section.title));
        const weak = !same && (!common || (!certain && (cover < WEAK || both < 1 || scattered)) || found[at].bare || score_ < LEAST || beside || strange(found[at].text, section) || unfit(found[at], section));
        best.set(section, { section, score: score_, cover, at, weak, beside, unfit: unfit(found[at], section), late: LATE.test(found[at].name) });
      }
    });
    /* Where the entry that is most like it is about something else, the others are too. */
    const likest = (some) => some.reduce((one, other) => (other.score > one.score ? other : one), { score: 0 });
    for (const at of texts.keys()) {
      const some = [...best.values()].filter((one) => one.at === at);
      if (likest(some).unfit) for (const one of some) one.weak = true;
    }
    const causes = pasted && [...best.values()].some(({ weak, late }) => !weak && !late);  /* before the report of the process that had one */
    const top = [...best.values()].sort((a, b) => (index.flat && pasted && a.weak - b.weak) || (causes && a.late - b.late) || b.score - a.score + (pasted ? .02 * (a.weak - b.weak) : 0));
    /* A message that is whole in the text counts more than the unknown end of another program. */
    if (index.flat && pasted && top[0]?.weak && !found[0].bare && !likest(top).unfit) {
      const all = new Map(pairs(words(unquoted(plain(asked).slice(-6000))).map(stem)).map((pair) => [pair, paired(index, pair)]));
      const whole = top.filter(({ section, beside, unfit }) => !beside && !unfit && section.order() > LONG && !strange(asked, section) && ordered(index, section, all)[0] > WHOLE);
      for (const one of whole) one.weak = false;
      if (whole.length) top.splice(0, Infinity, ...new Set([...whole, ...top]));
    }
    if (!pasted) for (const one of top) pages.set(one.section.page, [...(pages.get(one.section.page) ?? []), one]);
    /* Of a question, a page's next sections say that the page is about it. */
    for (const found of pages.values()) {
      const more = [.4, .3, .2, .1].reduce((sum, part, at) => sum + part * (found[at + 1]?.score ?? 0), 0);
      for (const one of found) one.score += more;
    }
    return { top: pasted ? top : top.sort((a, b) => b.score - a.score), terms: terms[0] ?? [], errors: found };
  };
  /* What is found: sections with a score and how much of the text they cover, the best first. A text without an error's class
     that looks like a message is one if there is such a message here. */
  const find = (index, asked) => {
    const found = errors(asked), named = !!found[0].name, pasted = rank(index, asked, found, true);
    const first = pasted.top[0], whole = first?.section.literal && first.section.said().size > 5 && first.cover === 1;  /* a message in a sentence */
    return named || whole || (maybePasted(asked) && (index.flat || (first?.section.literal && first.cover >= .6))) ? pasted : rank(index, asked, found, false);
  };

  /* Two lines of prose around the words, and of code the line that has them, if the question looks like code. */
  const marked = (html, terms) => {
    const stems = new Set(terms.flatMap(({ will }) => will.map(([word]) => word)));
    return escaped(html).replace(/[a-z_]\w+/gi, (word) => (stems.has(stem(word.toLowerCase())) && !STOP.has(word.toLowerCase()) ? `<mark>${word}</mark>` : word));
  };
  const excerpt = ({ prose, code, message }, terms, asked, weak) => {
    const stems = terms.flatMap(({ will }) => will.map(([word]) => word));
    const hits = (some) => stems.filter((word) => words(some).some((other) => stem(other) === word)).length;
    const lines = prose.split("\n"), told = lines.filter((line) => line[0] !== "|");  /* before tables */
    const sentences = (told.length ? told : lines).join(" ").replace(/\s+/g, " ").trim().split(/(?<=[.!?:]) (?=[A-Z`])/);
    const at = message ? 0 : sentences.reduce((top, one, now) => (hits(one) > hits(sentences[top]) ? now : top), 0);
    const said = sentences.slice(at, at + 3).join(" ");
    const line = isCode(asked) ? code.filter((one) => hits(one)).sort((a, b) => hits(b) - hits(a))[0] : "";
    const kind = message ? /^(?:\w+\.)*(\w*(?:Error|Warning|Exception))(?=:|$)/m.exec(code.join("\n"))?.[1] : "";
    const cut = said.length > 220 ? `${said.slice(0, 200).replace(/\s\S*$/, "")} …` : said;
    return `<p>${weak ? "<em>Weak match.</em> " : ""}${kind ? `<strong>${kind}.</strong> ` : ""}${marked(cut, terms)}</p>${line ? `<code>${marked(line.trim().slice(0, 90), terms)}</code>` : ""}`;
  };
  const results = (index, asked) => {
    const { top, terms } = find(index, asked), groups = new Map();
    const least = top.length ? top[0].score * .3 : 0;
    for (const one of top.filter(({ score }) => score >= least).slice(0, 60)) {
      const group = groups.get(one.section.page) ?? groups.set(one.section.page, []).get(one.section.page);
      if (group.length < 4) group.push(one);
    }
    const items = [...groups].slice(0, 20).map(([page, found]) => {
      const about = ({ section, score, weak }) => ({
        location: section.doc.location, title: section.doc.title, score,
        text: excerpt(section, terms, asked, weak),
        terms: Object.fromEntries(terms.map(({ word, will }) => [word, will.some(([other]) => inSection(index, other, section))])),
      });
      const own = found.find(({ section }) => section.doc.location === page), others = found.filter((one) => one !== own);
      /* The theme writes the words that a page has into its address. */
      const hit = () => Object.fromEntries(Object.entries(about(others[0]).terms).filter(([, has]) => has));
      const top = own ? about(own) : { location: page, title: index.titles[page] ?? "", text: "", terms: hit() };
      return [{ ...top, score: others[0]?.score ?? top.score }, ...others.map(about)];
    });
    const last = words(asked).at(-1) ?? "";
    const suggest = [...index.exact.keys()].filter((word) => last && word.startsWith(last) && /^[^._]/.test(word.slice(last.length)))
      .sort((a, b) => often(index, stem(b)) - often(index, stem(a))).slice(0, 1);
    return { items, suggest };
  };
  /* The box for errors: entries and not pages, and what of the text they are about. */
  const entries = (index, asked) => {
    const { top, errors } = find(index, asked), enough = Math.max(.25, .6 * (top[0]?.score ?? 0));
    const items = top.filter(({ score }) => score >= enough).slice(0, 8)
      .map(({ section, score, weak, at }) => ({ location: section.doc.location, score, weak, error: at, ...(weak ? {} : fitting(errors[at], section)) }));
    return { items, errors: errors.map(({ name, text }) => ({ name, text: text.slice(0, 300) })) };
  };

  let index;
  const answer = ({ type, data }) => {
    if (type === 0) index = build(data);
    return type === 0 ? { type: 1 } : { type: 3, data: (index.flat ? entries : results)(index, data) };
  };
  if (globalThis.addEventListener) addEventListener("message", ({ data }) => { if (data.type % 2 === 0) postMessage(answer(data)); });
  globalThis.sdSearch = { answer, errors };
})();
