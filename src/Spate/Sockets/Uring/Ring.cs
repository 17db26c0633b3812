using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>
/// An io_uring: its descriptor, its mappings, and the two queues. Submissions belong to one thread at a time, and so do
/// completions; the receiver's lock or its owner's thread sees to that. See io_uring.7 for the order of reads and
/// writes.
/// </summary>
// SAFETY: pointers lead into mappings that live until Dispose. The socket calls it after its last call has left and its
// readiness was disposed, so neither a call nor a request for readiness looks at them any more.
internal sealed unsafe class Ring<TCalls> : IDisposable
    where TCalls : struct, IUringCalls
{
    private const uint SubmissionCount = 8;

    private readonly RingHandle _handle;
    private readonly io_uring_sqe* _submissions;
    private readonly io_uring_cqe* _completions;
    private readonly uint* _submissionHead;
    private readonly uint* _submissionTail;
    private readonly uint* _submissionFlags;
    private readonly uint* _submissionArray;
    private readonly uint* _completionHead;
    private readonly uint* _completionTail;
    private readonly uint _submissionMask;
    private readonly uint _completionMask;
    private TCalls _calls;
    private uint _taken;
    private uint _unsubmitted;
    private bool _isDisabled;

    /// <param name="completionCount">Places for completions, a power of two.</param>
    /// <param name="oneThread">
    /// For one thread that submits and reaps, which need not be this one (SINGLE_ISSUER, DEFER_TASKRUN); where the
    /// kernel does not know these (before 6.1), an ordinary ring.
    /// </param>
    /// <param name="calls">The system's, or ones that fail on purpose.</param>
    /// <exception cref="UringRefusedException">The system gives no such ring.</exception>
    public Ring(uint completionCount, bool oneThread, TCalls calls)
    {
        _calls = calls;
        io_uring_params parameters = Setup(completionCount, oneThread, out _handle);
        try
        {
            const uint needed = IoUring.IORING_FEAT_SINGLE_MMAP | IoUring.IORING_FEAT_NODROP;
            if ((parameters.features & needed) != needed)
            {
                throw new UringRefusedException("io_uring_setup", Errno.EINVAL);
            }
            ref readonly io_sqring_offsets submission = ref parameters.sq_off;
            ref readonly io_cqring_offsets completion = ref parameters.cq_off;
            nuint arrayEnd = submission.array + (parameters.sq_entries * sizeof(uint));
            nuint completionEnd = completion.cqes + (parameters.cq_entries * (nuint)sizeof(io_uring_cqe));
            nuint ringBytes = Math.Max(arrayEnd, completionEnd);
            byte* rings = Map(ringBytes, IoUring.IORING_OFF_SQ_RING);
            nuint submissionBytes = parameters.sq_entries * (nuint)sizeof(io_uring_sqe);
            _submissions = (io_uring_sqe*)Map(submissionBytes, IoUring.IORING_OFF_SQES);
            _submissionHead = (uint*)(rings + submission.head);
            _submissionTail = (uint*)(rings + submission.tail);
            _submissionFlags = (uint*)(rings + submission.flags);
            _submissionArray = (uint*)(rings + submission.array);
            _submissionMask = *(uint*)(rings + submission.ring_mask);
            _completionHead = (uint*)(rings + completion.head);
            _completionTail = (uint*)(rings + completion.tail);
            _taken = *_completionHead;
            _completionMask = *(uint*)(rings + completion.ring_mask);
            _completions = (io_uring_cqe*)(rings + completion.cqes);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    public int Descriptor => _handle.Descriptor;

    /// <summary>
    /// Whether the thread that enters must be one and the same, and completions come only when it enters.
    /// </summary>
    public bool IsOneThread { get; private set; }

    /// <summary>Completions that did not fit and were kept by the kernel.</summary>
    public bool HasOverflown =>
        (Volatile.Read(ref *_submissionFlags) & IoUring.IORING_SQ_CQ_OVERFLOW) != 0;

    public bool HasCompletions => Volatile.Read(ref *_completionTail) != Volatile.Read(ref *_completionHead);

    public bool HasUnsubmitted => _unsubmitted != 0;

    /// <summary>Puts a request into the queue; it goes with the next <see cref="Enter"/>.</summary>
    public void Push(in io_uring_sqe request)
    {
        uint tail = *_submissionTail;
        if (tail - Volatile.Read(ref *_submissionHead) > _submissionMask)
        {
            throw new InvalidOperationException("The submission queue is full, which its callers rule out.");
        }
        uint index = tail & _submissionMask;
        _submissions[index] = request;
        _submissionArray[index] = index;
        Volatile.Write(ref *_submissionTail, tail + 1);
        _unsubmitted++;
    }

    /// <summary>Takes the next completion; its place is the kernel's again after <see cref="PublishTaken"/>.</summary>
    public bool TryTake(out io_uring_cqe completion)
    {
        if (_taken == Volatile.Read(ref *_completionTail))
        {
            completion = default;
            return false;
        }

        completion = _completions[_taken++ & _completionMask];
        return true;
    }

    public void PublishTaken() => Volatile.Write(ref *_completionHead, _taken);

    /// <summary>Submits what was pushed, and lets the kernel complete what it can.</summary>
    /// <returns>0 or more, or minus the errno.</returns>
    public int Enter()
    {
        Enable();
        int result = _calls.Enter(Descriptor, _unsubmitted, IoUring.IORING_ENTER_GETEVENTS);

        // An error after some were submitted is told by the next call (io_uring_enter.2), so the head says how many.
        _unsubmitted = *_submissionTail - Volatile.Read(ref *_submissionHead);
        return result;
    }

    public int Register(uint operation, void* argument, uint count) =>
        _calls.Register(Descriptor, operation, argument, count);

    /// <summary>Managed memory that must not be collected before the ring is closed.</summary>
    public void KeepBuffers(object buffers) => _handle.KeepBuffers(buffers);

    /// <summary>Keeps memory until the ring is closed, by its owner or by the collector.</summary>
    public void Keep(IDisposable memory) => _handle.Keep(memory);

    public void Dispose() => _handle.Dispose();

    private byte* Map(nuint bytes, ulong offset)
    {
        Mapping mapping = Mapping.OfRing(Descriptor, bytes, offset);
        _handle.Keep(mapping);
        return mapping.Start;
    }

    private io_uring_params Setup(uint completionCount, bool oneThread, out RingHandle handle)
    {
        const uint oneThreadFlags = IoUring.IORING_SETUP_R_DISABLED
            | IoUring.IORING_SETUP_SINGLE_ISSUER | IoUring.IORING_SETUP_DEFER_TASKRUN;
        uint flags = IoUring.IORING_SETUP_CQSIZE | (oneThread ? oneThreadFlags : 0);
        while (true)
        {
            io_uring_params parameters = new() { flags = flags, cq_entries = completionCount };
            int result = _calls.Setup(SubmissionCount, &parameters);
            if (result >= 0)
            {
                handle = new RingHandle(result);
                IsOneThread = _isDisabled = (flags & IoUring.IORING_SETUP_R_DISABLED) != 0;
                return parameters;
            }

            // What a kernel does not know it refuses as a whole (io_uring_setup.2); a refusal for lack of permission
            // would only be repeated.
            if (result != -Errno.EINVAL || (flags & oneThreadFlags) == 0)
            {
                throw new UringRefusedException("io_uring_setup", -result);
            }
            flags &= (flags & IoUring.IORING_SETUP_DEFER_TASKRUN) != 0
                ? ~IoUring.IORING_SETUP_DEFER_TASKRUN
                : ~oneThreadFlags;
        }
    }

    // The thread that enables a ring is the one that owns it from then on (io_uring_setup.2, SINGLE_ISSUER).
    private void Enable()
    {
        if (!_isDisabled) return;
        int result = _calls.Register(Descriptor, IoUring.IORING_REGISTER_ENABLE_RINGS, null, 0);
        if (result < 0) throw new UringRefusedException("enabling a ring", -result);
        _isDisabled = false;
    }
}
