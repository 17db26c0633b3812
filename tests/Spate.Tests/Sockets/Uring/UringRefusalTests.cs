using System.Net;
using System.Net.Sockets;
using Spate.Interop.Linux;
using Spate.Sockets;
using Spate.Sockets.Mmsg;
using Spate.Sockets.Uring;

namespace Spate.Tests.Sockets.Uring;

/// <summary>Systems that give no ring, or not the one that was asked for.</summary>
public sealed class UringRefusalTests
{
    [Theory]
    [InlineData(Errno.EPERM, "seccomp")]
    [InlineData(Errno.ENOSYS, "kernel")]
    [InlineData(Errno.ENOMEM, "ulimit -l")]
    public void Setup_Refused_SaysWhyAndAsksOnce(int errno, string reason)
    {
        UringFaults faults = new() { SetupErrno = _ => errno };

        UringRefusedException refusal = Assert.Throws<UringRefusedException>(
            () => new RingSocket(UringShape.For(coalesced: false), oneThread: true, faults));

        Assert.Contains(reason, refusal.Message, StringComparison.Ordinal);
        Assert.Equal(1, faults.SetupCount);
    }

    [Theory]
    [InlineData(IoUring.IORING_SETUP_DEFER_TASKRUN, 2)]
    [InlineData(IoUring.IORING_SETUP_SINGLE_ISSUER, 3)]
    public void Setup_UnknownFlag_IsLeftOut(uint unknown, int setupCount)
    {
        UringFaults faults = new() { SetupErrno = flags => (flags & unknown) != 0 ? Errno.EINVAL : 0 };
        using RingSocket ring = new(UringShape.For(coalesced: false), oneThread: true, faults);
        using ReceiveBatch batch = ring.Socket.CreateReceiveBatch();
        long next = 0;
        ring.Send(10);
        ring.Receive(batch, 10, ref next);

        Assert.Equal(setupCount, faults.SetupCount);
    }

    [Fact]
    public void Setup_NoBufferRings_SaysTheKernelIsOld()
    {
        UringFaults faults = new()
        {
            RegisterErrno = operation => operation == IoUring.IORING_REGISTER_PBUF_RING ? Errno.EINVAL : 0,
        };

        UringRefusedException refusal = Assert.Throws<UringRefusedException>(
            () => new RingSocket(UringShape.For(coalesced: false), oneThread: false, faults));

        Assert.Contains("Linux 6.0", refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false, Errno.ENOMEM)]
    [InlineData(true, Errno.ENOMEM)]
    [InlineData(false, Errno.EAGAIN)]
    [InlineData(true, Errno.EINTR)]
    public void Receive_RequestNotTaken_IsTriedAgain(bool oneThread, int errno)
    {
        UringFaults faults = new();
        using RingSocket ring = new(UringShape.For(coalesced: false), oneThread, faults);
        using ReceiveBatch batch = ring.Socket.CreateReceiveBatch();
        for (int i = 0; i < 5; i++) faults.SubmitErrnos.Enqueue(errno);
        long next = 0;
        ring.Send(3);
        ring.Receive(batch, 3, ref next);

        Assert.Empty(faults.SubmitErrnos);
    }

    /// <summary>A socket that cannot be adopted goes back to its caller, who expects one datagram a receive.</summary>
    [Fact]
    public void Open_RingRefused_CoalescingIsOffAgain()
    {
        RingSocket.RequireUring();
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketContext context = new(socket, new UdpSocketOptions(), default);
        Capabilities capabilities = BackendSelector.MakeProbes();
        Assert.True(capabilities[Capability.CoalescedReceive].IsAvailable);

        Sandbox.Run(Syscall.SYS_io_uring_setup, () => Assert.Throws<PlatformNotSupportedException>(
            () => BackendSelector.Open(UdpBackend.Uring, context, capabilities)));

        byte[] value = new byte[sizeof(int)];
        socket.GetRawSocketOption(Udp.SOL_UDP, Udp.UDP_GRO, value);
        Assert.Equal(0, BitConverter.ToInt32(value));
    }

    [Fact]
    public void Probe_UnderSeccomp_FallsBackWithTheReason()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "seccomp is Linux's");
        Capabilities? capabilities = null;
        string? explicitFault = null;
        Sandbox.Run(Syscall.SYS_io_uring_setup, () =>
        {
            capabilities = BackendSelector.MakeProbes();
            explicitFault = Assert.Throws<PlatformNotSupportedException>(() =>
                BackendSelector.Choose(new() { Backend = UdpBackend.Uring }, capabilities, null)).Message;
        });

        Assert.False(capabilities![Capability.Uring].IsAvailable);
        Assert.Contains("EPERM", capabilities[Capability.Uring].Reason, StringComparison.Ordinal);
        Assert.Contains(capabilities[Capability.Uring].Reason, explicitFault, StringComparison.Ordinal);
        Assert.True(capabilities[Capability.Mmsg].IsAvailable);
        Assert.Equal(UdpBackend.Mmsg, BackendSelector.Choose(new(), capabilities, UdpBackend.Uring));
        Assert.Equal(UdpBackend.Mmsg, capabilities.PreferredUnder(UdpBackend.Uring));
    }
}
