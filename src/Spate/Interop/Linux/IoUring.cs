using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary><c>linux/io_uring.h</c>: offsets of the parts of the submission ring in its mapping, 40 bytes.</summary>
[StructLayout(LayoutKind.Sequential, Size = 40)]
internal struct @io_sqring_offsets
{
    public uint head;
    public uint tail;
    public uint ring_mask;
    public uint ring_entries;
    public uint flags;
    public uint dropped;
    public uint array;
}

/// <summary><c>linux/io_uring.h</c>: offsets of the parts of the completion ring in its mapping, 40 bytes.</summary>
[StructLayout(LayoutKind.Sequential, Size = 40)]
internal struct @io_cqring_offsets
{
    public uint head;
    public uint tail;
    public uint ring_mask;
    public uint ring_entries;
    public uint overflow;
    public uint cqes;
    public uint flags;
}

/// <summary><c>linux/io_uring.h</c>: the parameters of a ring, as requested and then as granted, 120 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct @io_uring_params
{
    public uint sq_entries;
    public uint cq_entries;
    public uint flags;
    public uint sq_thread_cpu;
    public uint sq_thread_idle;
    public uint features;
    public uint wq_fd;
    public fixed uint resv[3];
    public io_sqring_offsets sq_off;
    public io_cqring_offsets cq_off;
}

/// <summary>
/// <c>linux/io_uring.h</c>: a submission, 64 bytes. Only the fields that receiving needs are declared, each at its
/// offset; in C some of them belong to unions.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 64)]
internal struct @io_uring_sqe
{
    [FieldOffset(0)]
    public byte opcode;

    [FieldOffset(1)]
    public byte flags;

    [FieldOffset(2)]
    public ushort ioprio;

    [FieldOffset(4)]
    public int fd;

    [FieldOffset(16)]
    public ulong addr;

    [FieldOffset(24)]
    public uint len;

    [FieldOffset(28)]
    public uint cancel_flags;

    [FieldOffset(28)]
    public uint poll32_events;

    [FieldOffset(32)]
    public ulong user_data;

    [FieldOffset(40)]
    public ushort buf_group;
}

/// <summary><c>linux/io_uring.h</c>: a completion, 16 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @io_uring_cqe
{
    public ulong user_data;
    public int res;
    public uint flags;
}

/// <summary>
/// <c>linux/io_uring.h</c>: a provided buffer, 16 bytes. In the first buffer of a ring, <see cref="resv"/> is the tail
/// of the ring.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @io_uring_buf
{
    public ulong addr;
    public uint len;
    public ushort bid;
    public ushort resv;
}

/// <summary><c>linux/io_uring.h</c>: the argument that registers a ring of provided buffers, 40 bytes.</summary>
[StructLayout(LayoutKind.Sequential, Size = 40)]
internal struct @io_uring_buf_reg
{
    public ulong ring_addr;
    public uint ring_entries;
    public ushort bgid;
}

/// <summary>
/// <c>linux/io_uring.h</c>: the header that a multishot recvmsg writes before name, control and payload.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @io_uring_recvmsg_out
{
    public uint namelen;
    public uint controllen;
    public uint payloadlen;
    public uint flags;
}

/// <summary>
/// <c>linux/io_uring.h</c>: the argument that cancels requests and waits until they have ended (Linux 6.0), 64 bytes.
/// </summary>
[StructLayout(LayoutKind.Sequential, Size = 64)]
internal struct @io_uring_sync_cancel_reg
{
    public ulong addr;
    public int fd;
    public uint flags;
    public timespec timeout;
}

/// <summary><c>linux/io_uring.h</c>: the constants of io_uring. The C library has no functions for io_uring.</summary>
internal static class IoUring
{
    public const uint IORING_SETUP_CQSIZE = 1u << 3;
    public const uint IORING_SETUP_R_DISABLED = 1u << 6;
    public const uint IORING_SETUP_SINGLE_ISSUER = 1u << 12;
    public const uint IORING_SETUP_DEFER_TASKRUN = 1u << 13;

    public const uint IORING_FEAT_SINGLE_MMAP = 1u << 0;
    public const uint IORING_FEAT_NODROP = 1u << 1;

    public const byte IORING_OP_POLL_ADD = 6;
    public const byte IORING_OP_RECVMSG = 10;
    public const byte IORING_OP_ASYNC_CANCEL = 14;

    public const byte IOSQE_BUFFER_SELECT = 1 << 5;

    public const ushort IORING_RECV_MULTISHOT = 1 << 1;

    public const uint IORING_CQE_F_BUFFER = 1u << 0;
    public const uint IORING_CQE_F_MORE = 1u << 1;
    public const int IORING_CQE_BUFFER_SHIFT = 16;

    public const ulong IORING_OFF_SQ_RING = 0;
    public const ulong IORING_OFF_SQES = 0x10000000;

    public const uint IORING_SQ_CQ_OVERFLOW = 1u << 1;

    public const uint IORING_ENTER_GETEVENTS = 1u << 0;

    public const uint IORING_REGISTER_EVENTFD = 4;
    public const uint IORING_REGISTER_ENABLE_RINGS = 12;
    public const uint IORING_REGISTER_PBUF_RING = 22;
    public const uint IORING_REGISTER_SYNC_CANCEL = 24;

    public const uint IORING_ASYNC_CANCEL_ALL = 1u << 0;
    public const uint IORING_ASYNC_CANCEL_ANY = 1u << 2;
}
