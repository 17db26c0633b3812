using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;
using Spate.Sockets.Mmsg;

namespace Spate.Tests.Sockets.Mmsg;

/// <summary>Whose sendmmsg is called.</summary>
public sealed class LinuxSocketCallsTests
{
    [Theory]
    [InlineData(true, Architecture.X64, 0)]
    [InlineData(true, Architecture.Arm64, 0)]
    [InlineData(false, Architecture.X64, 307)]
    [InlineData(false, Architecture.Arm64, 269)]
    [InlineData(false, Architecture.RiscV64, 269)]
    [InlineData(false, Architecture.LoongArch64, 269)]
    [InlineData(false, Architecture.Arm, 0)]
    public void SendManyNumberFor_LibraryAndProcessor_KernelWhereTheLibraryLoops(
        bool hasGlibc, Architecture architecture, int expected) =>
        Assert.Equal(expected, (int)LinuxSocketCalls.SendManyNumberFor(hasGlibc, architecture));

    [Fact]
    public unsafe void SendManyNumberFor_ThisProcessor_SendsSeveralMessagesByOneCall()
    {
        nint number = LinuxSocketCalls.SendManyNumberFor(hasGlibc: false, RuntimeInformation.ProcessArchitecture);
        Assert.SkipUnless(OperatingSystem.IsLinux() && number != 0, "there is no call of the kernel here");
        using NumberedPeer peer = new();
        using Socket sender = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        sender.Connect(new IPEndPoint(IPAddress.Loopback, peer.EndPoint.Port));
        int* payloads = stackalloc int[] { 0, 1, 2 };
        iovec* pieces = stackalloc iovec[3];
        mmsghdr* messages = stackalloc mmsghdr[3];
        for (int i = 0; i < 3; i++)
        {
            pieces[i] = new iovec { iov_base = &payloads[i], iov_len = sizeof(int) };
            messages[i] = default;
            messages[i].msg_hdr.msg_iov = &pieces[i];
            messages[i].msg_hdr.msg_iovlen = 1;
        }

        // SAFETY: everything that the call reads lies on the stack.
        nint sent = Syscall.Call4(number, (nint)sender.Handle, (nint)messages, (void*)3, 0);

        Assert.Equal(3, (int)sent);
        Assert.Equal([0, 1, 2], peer.Take(3));
    }
}
