using Spate.Interop.Linux;
using Spate.Sockets.Uring;

namespace Spate.Tests.Sockets.Uring;

/// <summary>
/// Which calls of a ring fail and how; shared by the struct copies of <see cref="FaultyUringCalls"/>.
/// </summary>
internal sealed class UringFaults
{
    /// <summary>The errno of a setup with these flags, or 0 to make it.</summary>
    public Func<uint, int> SetupErrno { get; set; } = static _ => 0;

    /// <summary>The errno of a registration, or 0 to make it.</summary>
    public Func<uint, int> RegisterErrno { get; set; } = static _ => 0;

    /// <summary>The errno of the next calls that would submit something, each once.</summary>
    public Queue<int> SubmitErrnos { get; } = new();

    public int SetupCount { get; set; }

    /// <summary>Where the memory lies in which the ring lists its buffers.</summary>
    public ulong BufferRingAddress { get; set; }
}

/// <summary>The real system calls, but for those that are to fail.</summary>
internal readonly unsafe struct FaultyUringCalls(UringFaults faults) : IUringCalls
{
    private static LinuxUringCalls Real => default;

    public int Setup(uint entryCount, io_uring_params* parameters)
    {
        faults.SetupCount++;
        int errno = faults.SetupErrno(parameters->flags);
        return errno != 0 ? -errno : Real.Setup(entryCount, parameters);
    }

    public int Enter(int ring, uint submitCount, uint flags)
    {
        if (submitCount > 0 && faults.SubmitErrnos.TryDequeue(out int errno)) return -errno;
        return Real.Enter(ring, submitCount, flags);
    }

    public int Register(int ring, uint operation, void* argument, uint argumentCount)
    {
        int errno = faults.RegisterErrno(operation);
        if (operation == IoUring.IORING_REGISTER_PBUF_RING)
        {
            faults.BufferRingAddress = ((io_uring_buf_reg*)argument)->ring_addr;
        }
        return errno != 0 ? -errno : Real.Register(ring, operation, argument, argumentCount);
    }
}
