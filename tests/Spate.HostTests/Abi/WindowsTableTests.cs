using Spate.Interop.Linux;
using Spate.Sockets;

namespace Spate.HostTests.Abi;

public sealed class WindowsTableTests
{
    [Fact]
    public void SilenceIcmpErrors_EachCode_IsThatOfMicrosoftsHeaders()
    {
        List<int> codes = [];

        SocketSetup.SilenceIcmpErrors(codes.Add);

        Assert.Equal([WindowsTable.Int32("SIO_UDP_CONNRESET"), WindowsTable.Int32("SIO_UDP_NETRESET")], codes);
    }

    [Fact]
    public void IoControlCpuAffinity_IsThatOfMicrosoftsHeaders() =>
        Assert.Equal(SocketSetup.IoControlCpuAffinity, WindowsTable.Int32("SIO_CPU_AFFINITY"));

    [Fact]
    public void WindowsDontFragment_OfBothFamilies_IsThatOfMicrosoftsHeaders()
    {
        Assert.Equal(SocketSetup.WindowsDontFragment, WindowsTable.Int32("IP_DONTFRAGMENT"));
        Assert.Equal(SocketSetup.WindowsDontFragment, WindowsTable.Int32("IPV6_DONTFRAG"));
        Assert.Equal(
            (In.SOL_IP, In.SOL_IPV6), (WindowsTable.Int32("IPPROTO_IP"), WindowsTable.Int32("IPPROTO_IPV6")));
    }

    /// <summary>So one declaration in C# serves both machines.</summary>
    [Fact]
    public void Table_EachFact_IsTheSameOnBothMachines() =>
        Assert.All(WindowsTable.All, static fact => Assert.Equal(fact.X64, fact.Arm64));

    /// <summary>A newer version needs a renewed table, and only the long run would notice.</summary>
    [Fact]
    public void Table_EachFile_IsMadeFromTheVersionThatIsRestored()
    {
        foreach (string file in WindowsTable.Files)
        {
            string head = File.ReadLines(WindowsTable.PathOf(file)).Single(static line =>
                line.StartsWith(WindowsTable.VersionPrefix, StringComparison.Ordinal));
            Assert.Equal(WindowsTable.VersionPrefix + WindowsHeaders.Version, head);
        }
    }

    [Fact]
    public void Number_ValuesInEachForm_AreRead()
    {
        Assert.Equal(112UL, WindowsTable.Number("sizeof(RIO_EXTENSION_FUNCTION_TABLE)"));
        Assert.Equal(0x00000000_FFFFFFFFUL, WindowsTable.Number("RIO_INVALID_BUFFERID"));
        Assert.Equal(ulong.MaxValue, WindowsTable.Number("INVALID_SOCKET"));
        Assert.Equal(-1, WindowsTable.Int32("SOCKET_ERROR"));
        Assert.Equal(new Guid("8509e081-96dd-4005-b165-9e2ee8c79e3f"), WindowsTable.Guid("WSAID_MULTIPLE_RIO"));
    }
}
