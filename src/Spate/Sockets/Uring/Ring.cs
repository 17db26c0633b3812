using System.Diagnostics;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>
/// An io_uring: its descriptor, its mappings, and the two queues. Only one thread at a time may submit requests, and
/// only one may take completions. In a ring of one thread, the owner thread alone does both. In other rings, the lock
/// of <see cref="MultishotReceive{TCalls}"/> ensures this. See io_uring.7 for the order of reads and writes.
/// </summary>
// SAFETY: pointers lead into mappings that exist until Dispose. The socket calls Dispose after its last call has
// returned and its PendingCalls are disposed. So no running call and no later wait uses the pointers.
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

    /// <param name="completionCount">The size of the completion queue, a power of two.</param>
    /// <param name="oneThread">
    /// Whether only one thread submits requests and takes completions (SINGLE_ISSUER, DEFER_TASKRUN); it need not be
    /// the calling thread. A flag that the kernel does not know is left out: DEFER_TASKRUN before Linux 6.1, both flags
    /// before 6.0. If both are left out, any thread may use the ring.
    /// </param>
    /// <param name="calls">The real system calls, or calls that fail on purpose.</param>
    /// <exception cref="UringRefusedException">The system refuses such a ring.</exception>
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
    /// Whether only one thread may enter the ring. With DEFER_TASKRUN, completions arrive only when that thread enters.
    /// </summary>
    public bool IsOneThread { get; private set; }

    /// <summary>Whether the kernel keeps completions that did not fit into the completion queue.</summary>
    public bool HasOverflown =>
        (Volatile.Read(ref *_submissionFlags) & IoUring.IORING_SQ_CQ_OVERFLOW) != 0;

    public bool HasCompletions => Volatile.Read(ref *_completionTail) != Volatile.Read(ref *_completionHead);

    public bool HasUnsubmitted => _unsubmitted != 0;

    /// <summary>Puts a request into the submission queue; the next <see cref="Enter"/> submits it.</summary>
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

    /// <summary>
    /// Takes the next completion; the kernel may reuse its queue entry after <see cref="PublishTaken"/>.
    /// </summary>
    public bool TryTake(out io_uring_cqe completion)
    {
        if (_taken == Volatile.Read(ref *_completionTail))
        {
            completion = default;
            return false;
        }

        Debug.Assert(
            *_completionTail - *_completionHead <= _completionMask + 1,
            "The kernel adds no completion to a full queue.");
        completion = _completions[_taken++ & _completionMask];
        return true;
    }

    public void PublishTaken()
    {
        Debug.Assert(
            _taken - *_completionHead <= *_completionTail - *_completionHead,
            "Only completions that the kernel has added can be taken.");
        Volatile.Write(ref *_completionHead, _taken);
    }

    /// <summary>Submits the pushed requests, and lets the kernel run its deferred work.</summary>
    /// <returns>0 or more if the call succeeded, otherwise minus the errno.</returns>
    public int Enter()
    {
        Enable();
        int result = _calls.Enter(Descriptor, _unsubmitted, IoUring.IORING_ENTER_GETEVENTS);

        // Counts the requests that the kernel did not take, from the head of the submission queue. The result does not
        // show an error after a partial submission: the next call returns that error (io_uring_enter.2).
        uint leftCount = *_submissionTail - Volatile.Read(ref *_submissionHead);
        Debug.Assert(leftCount <= _unsubmitted, "The kernel takes requests, and only this object adds some.");
        _unsubmitted = leftCount;
        return result;
    }

    public int Register(uint operation, void* argument, uint count) =>
        _calls.Register(Descriptor, operation, argument, count);

    /// <summary>Keeps managed memory from being collected before the ring is closed.</summary>
    public void KeepBuffers(object buffers) => _handle.KeepBuffers(buffers);

    /// <summary>
    /// Keeps memory, and frees it once the ring is closed, by <see cref="Dispose"/> or by the garbage collector.
    /// </summary>
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

            // A kernel that does not know a flag refuses the whole call with EINVAL (io_uring_setup.2), so try again
            // with fewer flags. Any other refusal, for example for lack of permission, would only be repeated.
            if (result != -Errno.EINVAL || (flags & oneThreadFlags) == 0)
            {
                throw new UringRefusedException("io_uring_setup", -result);
            }
            flags &= (flags & IoUring.IORING_SETUP_DEFER_TASKRUN) != 0
                ? ~IoUring.IORING_SETUP_DEFER_TASKRUN
                : ~oneThreadFlags;
        }
    }

    // Enables a ring of one thread, which is created disabled. The thread that enables a ring owns it from then on
    // (io_uring_setup.2, SINGLE_ISSUER).
    private void Enable()
    {
        if (!_isDisabled) return;
        int result = _calls.Register(Descriptor, IoUring.IORING_REGISTER_ENABLE_RINGS, null, 0);
        if (result < 0) throw new UringRefusedException("enabling a ring", -result);
        _isDisabled = false;
    }
}
