using System.Globalization;
using Microsoft.Extensions.Configuration;
using Spate.Serving;

namespace Spate.Hosting.Hosted;

/// <summary>
/// Reads the section <c>Udp:name</c> into options. Faults are collected and told all at once: the path, the value, and
/// what is expected.
/// </summary>
internal static class OptionsReader
{
    private const int MaxThreads = 256;
    private const int MaxCpu = 65_535;
    private const int MaxEndPoints = 64;
    private const int MaxBufferBytes = int.MaxValue / 2;
    private const int MaxQuotedChars = 60;

    private static readonly Dictionary<string, Key> Keys = new(StringComparer.OrdinalIgnoreCase)
    {
        [nameof(UdpHostedServerOptions.LocalEndPoints)] = new(
            "1 to 64 addresses with ports, like 0.0.0.0:53 or [::]:53",
            (text, options) => TryReadList<UdpEndPoint>(
                text, MaxEndPoints, TryReadEndPoint, list => options.LocalEndPoints = list),
            IsList: true),
        [nameof(UdpHostedServerOptions.Cpus)] = new(
            "numbers of CPUs, like 2, 3",
            (text, options) => TryReadList<int>(
                text, MaxCpu, TryReadCpu, list => options.Cpus = list),
            IsList: true),
        [nameof(UdpHostedServerOptions.Design)] = new(
            $"one of {string.Join(", ", UdpServerDesign.All.Concat(UdpComparisonDesigns.All))}",
            (text, options) =>
            {
                if (!SettingText.TryReadDesign(text, out UdpServerDesign? design)) return false;
                options.Design = design;
                return true;
            }),
        [nameof(UdpHostedServerOptions.Steering)] = Choice<UdpSteering>((options, value) => options.Steering = value),
        [nameof(UdpHostedServerOptions.Wait)] = Choice<UdpServerWait>((options, value) => options.Wait = value),
        [nameof(UdpHostedServerOptions.Backend)] = Choice<UdpBackend>((options, value) => options.Backend = value),
        [nameof(UdpHostedServerOptions.ServerExceptionBehavior)] =
            Choice<UdpServerExceptionBehavior>((options, value) => options.ServerExceptionBehavior = value),
        [nameof(UdpHostedServerOptions.ThreadCount)] = new(
            "a number from 1 to 256",
            (text, options) =>
            {
                if (!SettingText.TryReadNumber(text, 1, MaxThreads, out int value)) return false;
                options.ThreadCount = value;
                return true;
            }),
        [nameof(UdpHostedServerOptions.TickInterval)] = Time(
            TimeSpan.FromMilliseconds(1), "1 ms", (options, value) => options.TickInterval = value),
        [nameof(UdpHostedServerOptions.ReplyTimeout)] = Time(
            TimeSpan.Zero, "0", (options, value) => options.ReplyTimeout = value),
        [nameof(UdpHostedServerOptions.DrainTimeout)] = Time(
            TimeSpan.Zero, "0", (options, value) => options.DrainTimeout = value),
        [nameof(UdpHostedServerOptions.ReceiveBufferBytes)] = Size(
            (options, value) => options.ReceiveBufferBytes = value),
        [nameof(UdpHostedServerOptions.SendBufferBytes)] = Size(
            (options, value) => options.SendBufferBytes = value),
        [nameof(UdpHostedServerOptions.CoalescedReceive)] = Flag((options, value) => options.CoalescedReceive = value),
        [nameof(UdpHostedServerOptions.SegmentedSend)] = Flag((options, value) => options.SegmentedSend = value),
    };

    private delegate bool ElementParse<T>(string text, out T value);

    public static void Read(IConfiguration? configuration, string name, UdpHostedServerOptions options)
    {
        if (configuration is null) return;
        IConfigurationSection section = configuration.GetSection($"Udp:{name}");
        if (!string.IsNullOrEmpty(section.Value))
        {
            options.Faults.Add($"{section.Path} is {Quoted(section.Value)}: expected a section with options.");
        }

        foreach (IConfigurationSection entry in section.GetChildren())
        {
            if (!Keys.TryGetValue(entry.Key, out Key? key))
            {
                options.Faults.Add(
                    $"{Cleaned(entry.Path)} is not a UDP server option: expected {string.Join(", ", Keys.Keys)}.");
                continue;
            }

            if (string.IsNullOrEmpty(entry.Value) && !entry.GetChildren().Any()) continue;
            string? text = TextOf(configuration, entry, key.IsList);
            if (text is not null && key.TryRead(text, options)) continue;
            string found = text is null ? "a section" : Quoted(text);
            options.Faults.Add($"{entry.Path} is {found}: expected {key.Expected}.");
        }
    }

    // A list may be written as one text, as in an environment variable; so one text is read for both.
    private static string? TextOf(IConfiguration configuration, IConfigurationSection entry, bool isList)
    {
        IConfigurationSection[] items = [.. entry.GetChildren()];
        if (items.Length == 0 || (isList && IsTextLast(configuration, entry))) return entry.Value;
        return isList && items.All(item => item.Value is not null)
            ? string.Join(", ", items.Select(item => item.Value))
            : null;
    }

    // One text in the environment does not replace the elements of a list in a file, which have paths of their own.
    // Both are there, and the later source wins, as it does for any other option.
    private static bool IsTextLast(IConfiguration configuration, IConfigurationSection entry)
    {
        if (string.IsNullOrEmpty(entry.Value)) return false;
        IConfigurationProvider? last = (configuration as IConfigurationRoot)?.Providers.LastOrDefault(
            provider => provider.TryGet(entry.Path, out _) || provider.GetChildKeys([], entry.Path).Any());
        return last?.TryGet(entry.Path, out _) ?? false;
    }

    private static Key Choice<T>(Action<UdpHostedServerOptions, T> set)
        where T : struct, Enum => new(
            $"one of {string.Join(", ", Enum.GetNames<T>())}",
            (text, options) =>
            {
                if (!SettingText.TryReadChoice(text, out T value)) return false;
                set(options, value);
                return true;
            });

    private static Key Time(TimeSpan min, string minText, Action<UdpHostedServerOptions, TimeSpan> set) => new(
        $"a time like 50ms, 2s or 00:00:02, at least {minText} and at most a day",
        (text, options) =>
        {
            if (!SettingText.TryReadTime(text, out TimeSpan value)) return false;
            if (value < min || value > TimeSpan.FromDays(1)) return false;
            set(options, value);
            return true;
        });

    private static Key Size(Action<UdpHostedServerOptions, int> set) => new(
        $"a number of bytes like 4M, from 1 to {MaxBufferBytes.ToString(CultureInfo.InvariantCulture)}",
        (text, options) =>
        {
            if (!SettingText.TryReadSize(text, MaxBufferBytes, out int bytes)) return false;
            set(options, bytes);
            return true;
        });

    private static Key Flag(Action<UdpHostedServerOptions, bool> set) => new(
        "true or false",
        (text, options) =>
        {
            if (!bool.TryParse(text, out bool value)) return false;
            set(options, value);
            return true;
        });

    private static bool TryReadList<T>(
        string text, int maxCount, ElementParse<T> tryRead, Action<IReadOnlyList<T>> set)
    {
        string[] items = text.Split(',', StringSplitOptions.TrimEntries);
        if (items.Length > maxCount) return false;
        List<T> list = [];
        foreach (string item in items)
        {
            if (!tryRead(item, out T value)) return false;
            list.Add(value);
        }

        set(list);
        return true;
    }

    // An address without a port would have port 0, which nobody means who forgot it. An IPv6 address without brackets
    // has no port, even if it ends with ":0".
    private static bool TryReadEndPoint(string text, out UdpEndPoint endPoint)
    {
        bool isIPv6 = text.AsSpan().Count(':') > 1;
        return UdpEndPoint.TryParse(text, out endPoint)
            && (endPoint.Port > 0 || text.EndsWith(isIPv6 ? "]:0" : ":0", StringComparison.Ordinal));
    }

    private static bool TryReadCpu(string text, out int cpuIndex) =>
        SettingText.TryReadNumber(text, 0, MaxCpu, out cpuIndex);

    private static string Quoted(string text) => $"'{Cleaned(text)}'";

    // A configuration may come from anywhere: what it says stays within one line of a log.
    private static string Cleaned(string text)
    {
        string cut = text.Length > MaxQuotedChars ? text[..MaxQuotedChars] + "..." : text;
        return string.Concat(cut.Select(character => character is >= ' ' and <= '~' ? character : '?'));
    }

    private sealed record Key(
        string Expected, Func<string, UdpHostedServerOptions, bool> TryRead, bool IsList = false);
}
