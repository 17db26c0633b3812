using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Cards;

/// <summary>
/// What drivers answer to the requests of ethtool(8), for the network namespace of the thread that made this. Below
/// another root than <c>/</c> the answers are files <c>ethtool/NAME/REQUEST</c> with the bytes of such answers. One
/// thread at a time.
/// </summary>
internal sealed class CardReplies : IDisposable
{
    private const int AddressFamilyInternet = 2;
    private const int SockDatagram = 2;

    private readonly string _rootPath;
    private readonly SafeFileHandle? _socket;

    public CardReplies(string rootPath)
    {
        _rootPath = rootPath;
        if (!OperatingSystem.IsLinux() || !string.Equals(rootPath, "/", StringComparison.Ordinal)) return;

        int descriptor = SysSocket.socket(AddressFamilyInternet, SockDatagram | SysSocket.SOCK_CLOEXEC, 0);
        if (descriptor >= 0) _socket = new SafeFileHandle(descriptor, ownsHandle: true);
    }

    /// <summary>The buffer begins with the command; the answer overwrites it. False where it is refused.</summary>
    public bool TryAsk(string name, Span<byte> buffer, string key)
    {
        if (_socket is null) return TryReadRecorded(name, buffer, key);

        return TryName(name, out ifreq request) && SysIoctl.Ask(_socket, ref request, buffer);
    }

    public bool TryAsk<T>(string name, ref T request, uint command)
        where T : unmanaged =>
        TryAsk(
            name,
            MemoryMarshal.AsBytes(new Span<T>(ref request)),
            command.ToString("x", CultureInfo.InvariantCulture));

    /// <summary>The command is the first number of the buffer. IOException where the driver refuses.</summary>
    public void Tell(string name, Span<byte> buffer, string key)
    {
        if (_socket is null)
        {
            WriteRecorded(name, buffer, key);
            return;
        }

        if (!TryName(name, out ifreq request)) throw new IOException($"the interface {name} does not exist");
        if (SysIoctl.Ask(_socket, ref request, buffer)) return;

        throw NetworkFault.Of(Marshal.GetLastPInvokeError(), name);
    }

    public void Dispose() => _socket?.Dispose();

    /// <summary>A request that begins with a command and with numbers, with room for the answer.</summary>
    public static byte[] Request(int bytes, params ReadOnlySpan<uint> numbers)
    {
        byte[] buffer = new byte[bytes];
        MemoryMarshal.AsBytes(numbers).CopyTo(buffer);
        return buffer;
    }

    private static bool TryName(string name, out ifreq request)
    {
        request = default;
        Span<byte> bytes = stackalloc byte[If.IFNAMSIZ * 4];
        if (!Encoding.UTF8.TryGetBytes(name, bytes, out int length) || length is 0 or >= If.IFNAMSIZ) return false;

        bytes[..length].CopyTo(MemoryMarshal.AsBytes(new Span<ifreq>(ref request)));
        return true;
    }

    private bool TryReadRecorded(string name, Span<byte> buffer, string key)
    {
        if (name.Contains('/', StringComparison.Ordinal)) return false;

        using HostFile file = new HostFiles(_rootPath).Open($"ethtool/{name}/{key}");
        return !file.IsMissing && file.ReadAll(buffer).Length > 0;
    }

    private void WriteRecorded(string name, ReadOnlySpan<byte> buffer, string key)
    {
        string path = Path.Combine(_rootPath, $"ethtool/{name}/{key}");
        if (name.Contains('/', StringComparison.Ordinal) || !File.Exists(path))
        {
            throw new IOException($"{name} does not support this");
        }

        File.WriteAllBytes(path, buffer);
    }
}

/// <summary>What the kernel answers to a change of an interface that it does not make.</summary>
internal static class NetworkFault
{
    private const int OperationNotPermitted = 1;
    private const int PermissionDenied = 13;

    public static Exception Of(int error, string name)
    {
        string text = Marshal.GetPInvokeErrorMessage(error);
        return error is OperationNotPermitted or PermissionDenied
            ? new UnauthorizedAccessException($"{name}: {text}: this needs root or CAP_NET_ADMIN")
            : new IOException($"{name}: the kernel or the driver refuses: {text}");
    }
}

/// <summary>Reads the names that a driver gives to what it counts and to its features.</summary>
internal static class CardStrings
{
    private const int SetHeadBytes = 2 * sizeof(uint) + sizeof(ulong);
    private const int StringHeadBytes = 3 * sizeof(uint);

    /// <summary>In the order of their numbers, empty for no such set. Drivers of many queues have thousands.</summary>
    public static string[] Read(CardReplies replies, string name, int set, int maxCount)
    {
        int count = Count(replies, name, set);
        if (count <= 0 || count > maxCount) return [];

        // The kernel writes as many as there are by now, whatever was asked for (ethtool_get_strings,
        // net/ethtool/ioctl.c). A driver may have got a queue more meanwhile, so there is room for twice as many.
        byte[] buffer = CardReplies.Request(
            StringHeadBytes + (2 * count * Ethtool.ETH_GSTRING_LEN), Ethtool.ETHTOOL_GSTRINGS, (uint)set, (uint)count);
        if (!replies.TryAsk(name, buffer, Key("1b", set))) return [];

        var names = new string[count];
        for (int i = 0; i < count; i++)
        {
            ReadOnlySpan<byte> text =
                buffer.AsSpan(StringHeadBytes + (i * Ethtool.ETH_GSTRING_LEN), Ethtool.ETH_GSTRING_LEN);
            names[i] = FileText.Escape(FileText.BeforeNul(text));
        }

        return names;
    }

    // struct ethtool_sset_info: a bit for each set asked for; the answer has one number for each set that is there.
    private static int Count(CardReplies replies, string name, int set)
    {
        Span<byte> buffer = stackalloc byte[SetHeadBytes + sizeof(uint)];
        buffer.Clear();
        MemoryMarshal.Write(buffer, Ethtool.ETHTOOL_GSSET_INFO);
        MemoryMarshal.Write(buffer[(2 * sizeof(uint))..], 1UL << set);
        bool isKnown = replies.TryAsk(name, buffer, Key("37", set))
            && MemoryMarshal.Read<ulong>(buffer[(2 * sizeof(uint))..]) == 1UL << set;
        return isKnown ? MemoryMarshal.Read<int>(buffer[SetHeadBytes..]) : 0;
    }

    private static string Key(string command, int set) => $"{command}-{set}";
}
