using System.Globalization;
using System.Text;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Sockets;

/// <summary>The memory of all UDP sockets together, against its limit.</summary>
internal sealed class UdpMemoryCheck : HostCheck
{
    private const string Reason =
        "All UDP sockets of the host share this much memory, in pages; above the second number the kernel saves, and "
        + "above the third it drops (ip-sysctl, udp_mem; MemErrors since Linux 5.11).";

    public override string Id => "udp-mem";

    public override string Subject => "memory of all UDP sockets";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        long lost = ReceiveBuffers.Sum(host.Growth.Udp4.MemErrors, host.Growth.Udp6.MemErrors) ?? 0;
        var setting = new SysctlSetting("net.ipv4.udp_mem");
        long[] limits = Numbers(host.Files.ReadLine(setting.Path));
        long? used = ReadUsedPages(host.Files);
        if (limits.Length != 3)
        {
            yield return lost > 0
                ? Problem("limit not shown", "a higher limit, set on the host", Reason, lost)
                : Unknown($"{setting.Name} is not shown here: it belongs to the host, not to the container.");
            yield break;
        }

        string found = $"{(used is { } pages ? CheckText.Count(pages) : "unknown")} pages used, limits {Join(limits)}";
        if (lost == 0 && !(used >= limits[1]))
        {
            yield return Ok(found, Reason);
            yield break;
        }

        long[] more = [.. limits.Select(one => Math.Max(one, Math.Min(2 * one, MaxPages(host.Files))))];
        CheckFinding finding = lost > 0
            ? Problem(found, Join(more), $"{CheckText.Count(lost)} datagrams found no memory. {Reason}", lost)
            : Advice(found, "programs that read their sockets, or a higher limit", Reason);
        yield return more[2] > limits[2] ? finding.With(new HostChange(setting, Join(limits), Join(more))) : finding;
    }

    // Half of the machine's memory; nothing where its size is unknown.
    private static long MaxPages(HostFiles files)
    {
        string? total = files.ReadLines("proc/meminfo").FirstOrDefault(
            static line => line.StartsWith("MemTotal:", StringComparison.Ordinal));
        long kilobytes = FileText.NumberAfter(Encoding.ASCII.GetBytes(total ?? ""), "MemTotal:"u8) ?? 0;
        return kilobytes / 2 * 1024 / Environment.SystemPageSize;
    }

    // "UDP: inuse 5 mem 2"
    private static long? ReadUsedPages(HostFiles files)
    {
        string? line = files.ReadLines("proc/thread-self/net/sockstat").FirstOrDefault(
            static line => line.StartsWith("UDP:", StringComparison.Ordinal));
        return FileText.Number(FileText.WordAt(Encoding.ASCII.GetBytes(line ?? ""), 4));
    }

    private static long[] Numbers(string? line)
    {
        var numbers = new List<long>();
        foreach (string word in (line ?? "").Split((char[])[' ', '\t'], 4, StringSplitOptions.RemoveEmptyEntries))
        {
            bool isNumber = long.TryParse(word, NumberStyles.None, CultureInfo.InvariantCulture, out long one);
            if (!isNumber || one > int.MaxValue) return [];

            numbers.Add(one);
        }

        return [.. numbers];
    }

    private static string Join(long[] numbers) =>
        string.Join(' ', numbers.Select(static one => one.ToString(CultureInfo.InvariantCulture)));
}
