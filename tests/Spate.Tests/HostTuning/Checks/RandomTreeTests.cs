using System.Text;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Reading;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Interfaces;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

/// <summary>
/// All checks on trees whose files hold anything, before and while the host is watched. They never throw, and what they
/// find is one line of printable text each.
/// </summary>
public sealed class RandomTreeTests
{
    private const int MaxBytes = 3000;
    private const int HugeBytes = 300_000;

    private static readonly HostProfile[] Profiles = Enum.GetValues<HostProfile>();

    private static readonly string[] Numbers =
    [
        "0", "1", "-1", "+1", "2147483647", "2147483648", "-2147483649", "4294967296", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616", "1e9", "0x10",
        "007", "1.5", "NaN", "max", "ffffffff,ffffffff", "0-3", "3-0", "0-4294967295",
    ];

    private static readonly string[] Words =
    [
        " ", "\t", "\n", "\n\n", ":", "-", ",", "/", "..", "\0", "\r", "\u001b[2J", "\u001b]0;x\u0007", "\u202e",
        "$(x)", "`x`", "'", "\"", "cpu0", "eth0", "veth0", "Udp:", "UDP:",
        "MemTotal:", "ro", "Mitigation", "DMA", "GT/s",
    ];

    private static int CaseCount => TestWidth.Of(80, full: 10_000);

    [Fact]
    public void Of_AnyContent_FindsPrintableLinesAndThrowsNothing()
    {
        Random random = RandomCase.Create();
        (FakeHost Host, string Interface)[] hosts = [.. Hosts()];
        try
        {
            string[][] files = [.. hosts.Select(static one => ListFiles(one.Host))];
            for (int i = 0; i < CaseCount; i++)
            {
                int which = random.Next(hosts.Length);
                (FakeHost host, string name) = hosts[which];
                Spoil(files[which], random);

                HostExamination examination = Examine(host, name, () => Spoil(files[which], random), random);

                Assert.NotEmpty(examination.Findings);
                Assert.All(
                    examination.Findings,
                    one => Assert.True(RecordedMachineTests.IsPrintable(one), $"case {i}: {one}"));
            }
        }
        finally
        {
            foreach ((FakeHost host, _) in hosts) host.Dispose();
        }
    }

    // Machines whose trees are small, so that each file is spoilt often.
    private static IEnumerable<(FakeHost Host, string Interface)> Hosts()
    {
        yield return (FaultyHost.Host().Host, FaultyHost.Interface);
        yield return (RecordedMachines.Cloud(), "eth0");
        yield return (RecordedMachines.Laptop(), "eth0");
        yield return (RecordedNamespace.Host().With("socket/granted", "212992\n"), "veth0");
    }

    private static string[] ListFiles(FakeHost host)
    {
        string[] files = Directory.GetFiles(host.RootPath, "*", new EnumerationOptions
        {
            RecurseSubdirectories = true,
            AttributesToSkip = FileAttributes.ReparsePoint,
        });
        Array.Sort(files, StringComparer.Ordinal);
        return files;
    }

    private static HostExamination Examine(FakeHost host, string name, Action meanwhile, Random random)
    {
        var request = new CheckOptions
        {
            RootPath = host.RootPath,
            Profile = random.Next(4) == 0 ? null : Profiles[random.Next(Profiles.Length)],
            Interface = name,
        };
        InterfaceFacts one = FakeMachines.Interfaces[1] with { Name = name };
        using var reader = new HostReader(request, TimeProvider.System, [one]);
        meanwhile();
        HostReadings readings = reader.Take() with
        {
            Container = ContainerHint.Find(new HostFiles(host.RootPath), static _ => null),
        };
        return HostExamination.Of(readings, isLinux: true);
    }

    private static void Spoil(string[] files, Random random)
    {
        int count = random.Next(1, files.Length);
        for (int i = 0; i < count; i++)
        {
            string file = files[random.Next(files.Length)];
            if (random.Next(20) == 0) File.Delete(file);
            else File.WriteAllBytes(file, Content(file, random));
        }
    }

    private static byte[] Content(string file, Random random) => random.Next(8) switch
    {
        0 => RandomBytes(random, random.Next(MaxBytes)),
        1 => RandomBytes(random, 8 * random.Next(8)),
        2 => random.Next(20) == 0 ? [.. Enumerable.Repeat((byte)random.Next(256), HugeBytes)] : [],
        3 => Encoding.ASCII.GetBytes($"{random.NextInt64(long.MinValue, long.MaxValue)}"),
        4 or 5 => Encoding.ASCII.GetBytes(Numbers[random.Next(Numbers.Length)] + "\n"),
        6 => Changed(File.Exists(file) ? File.ReadAllBytes(file) : [], random),
        _ => Encoding.UTF8.GetBytes(string.Concat(Enumerable.Range(0, random.Next(1, 30)).Select(_ =>
            random.Next(2) == 0 ? Words[random.Next(Words.Length)] : Numbers[random.Next(Numbers.Length)]))),
    };

    private static byte[] Changed(byte[] content, Random random)
    {
        if (content.Length == 0) return content;
        for (int i = random.Next(4); i >= 0; i--) content[random.Next(content.Length)] = (byte)random.Next(256);
        return random.Next(3) == 0 ? content[..random.Next(content.Length)] : content;
    }

    private static byte[] RandomBytes(Random random, int count)
    {
        byte[] bytes = new byte[count];
        random.NextBytes(bytes);
        return bytes;
    }
}
