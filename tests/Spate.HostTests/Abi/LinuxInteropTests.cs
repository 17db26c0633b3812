using System.Globalization;
using System.Reflection;
using Spate.Interop.Linux;

namespace Spate.HostTests.Abi;

public sealed unsafe class LinuxInteropTests
{
    [Fact]
    public void Describe_EveryErrnoConstant_SaysItsName()
    {
        foreach (FieldInfo constant in CText.Constants(typeof(Errno)))
        {
            int errno = (int)constant.GetRawConstantValue()!;
            Assert.Equal($"{constant.Name} ({errno.ToString(CultureInfo.InvariantCulture)})", Errno.Describe(errno));
        }
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(0)]
    [InlineData(41)]
    [InlineData(134)]
    [InlineData(int.MaxValue)]
    public void Describe_NumberWithoutName_SaysTheNumber(int errno) =>
        Assert.Equal($"errno {errno.ToString(CultureInfo.InvariantCulture)}", Errno.Describe(errno));

    [Fact]
    public void EpollEvents_WrittenAndRead_AreTheSameAndStayInTheirSlots()
    {
        const int EventCount = 3;
        ulong* buffer = stackalloc ulong[(EventCount * Epoll.EventBytes / sizeof(ulong)) + 1];

        // SAFETY: the buffer holds EventCount events of EventBytes bytes each.
        for (int i = 0; i < EventCount; i++)
        {
            Epoll.Write(buffer, i, Epoll.EPOLLIN | Epoll.EPOLLONESHOT, 0xDEADBEEF_00000000UL + (uint)i);
        }

        for (int i = 0; i < EventCount; i++)
        {
            Assert.Equal((Epoll.EPOLLIN | Epoll.EPOLLONESHOT, 0xDEADBEEF_00000000UL + (uint)i), Epoll.Read(buffer, i));
        }
    }

    [Fact]
    public void EpollWait_SignalledEventFd_GivesBackItsData()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "epoll and eventfd exist on Linux only");
        const ulong Data = 0x0123456789ABCDEF;
        int eventFd = EventFd.eventfd(1, EventFd.EFD_CLOEXEC | EventFd.EFD_NONBLOCK);
        int epollFd = Epoll.epoll_create1(Epoll.EPOLL_CLOEXEC);
        ulong* buffer = stackalloc ulong[4];

        // SAFETY: 32 bytes hold two events of 12 or 16 bytes; both descriptors are ours and closed below.
        try
        {
            Epoll.Write(buffer, 0, Epoll.EPOLLIN | Epoll.EPOLLONESHOT, Data);
            Assert.Equal(0, Epoll.epoll_ctl(epollFd, Epoll.EPOLL_CTL_ADD, eventFd, buffer));
            new Span<ulong>(buffer, 4).Clear();

            Assert.Equal(1, Epoll.epoll_wait(epollFd, buffer, 2, 1000));
            Assert.Equal((Epoll.EPOLLIN, Data), Epoll.Read(buffer, 0));
            Assert.Equal(0, Epoll.epoll_wait(epollFd, buffer, 2, 0));
        }
        finally
        {
            _ = Unistd.close(epollFd);
            _ = Unistd.close(eventFd);
        }
    }
}
