using System.Net;
using System.Net.Sockets;
using Spate.Cli.Tune.Applying;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Settings;

namespace Spate.HostTests.Namespaces;

/// <summary>
/// What limits an interface is provoked in a namespace: an examination names it, and it is gone after the remedy.
/// </summary>
[NamespaceLoad("it loads network namespaces and counts their loss")]
public sealed class ProvokedCardTests : IDisposable
{
    private const string Address = "10.77.0.1";
    private const string Peer = "10.77.0.2";

    private readonly NetworkNamespace _near = new();
    private readonly NetworkNamespace _far = new();
    private readonly string _folder = Directory.CreateTempSubdirectory("spate-tune-").FullName;

    public ProvokedCardTests() => NetworkNamespace.Join(_near, $"{Address}/24", _far, $"{Peer}/24");

    public void Dispose()
    {
        _near.Dispose();
        _far.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public void QueueDrops_OfATokenBucket_AreAProblemUntilItIsRemoved()
    {
        Programs.Require("tc", "iproute2");
        Assert.Equal(CheckStatus.Ok, Find("qdisc-drops", sends: true).Status);
        _near.Execute("tc qdisc add dev veth0 root tbf rate 100kbit burst 3000 limit 3000");

        CheckFinding finding = Find("qdisc-drops", sends: true);

        Assert.Equal((CheckStatus.Problem, "tbf", "veth0"), (finding.Status, finding.Found, finding.Interface));
        Assert.True(finding.Growth > 0);
        Assert.Null(finding.Command);
        _near.Execute("tc qdisc del dev veth0 root");
        Assert.Equal(CheckStatus.Ok, Find("qdisc-drops", sends: true).Status);
    }

    [Theory]
    [InlineData("offloads", "rx-gro off")]
    [InlineData("offloads", "tx-checksum-ip-generic off")]
    [InlineData("offloads", "tx-scatter-gather off")]
    [InlineData("udp-segmentation", "tx-udp-segmentation off")]
    public void Feature_TurnedOff_IsAdviceThatTheCommandAndTheTunerMend(string id, string feature)
    {
        Programs.Require("ethtool", "ethtool");
        _near.Execute("ethtool -K veth0 rx-gro on");
        Assert.Equal(CheckStatus.Ok, Find(id).Status);
        _near.Execute($"ethtool -K veth0 {feature}");
        string[] before = Features();

        CheckFinding finding = Find(id);

        Assert.Equal((CheckStatus.Advice, "veth0"), (finding.Status, finding.Interface));
        Shell(finding.Command!);
        Assert.Equal(CheckStatus.Ok, Find(id).Status);
        Shell(finding.Undo!);
        Assert.Equal(before, Features());

        var tuner = new HostTuner(Path.Combine(_folder, "tune.json"));
        Assert.All(
            _near.Enter(() => tuner.Apply([finding])), static one => Assert.Equal(SettingState.Done, one.State));
        Assert.Equal(CheckStatus.Ok, Find(id).Status);
        Assert.All(_near.Enter(tuner.Undo), static one => Assert.Equal(SettingState.Done, one.State));
        Assert.Equal(before, Features());
    }

    [Fact]
    public void QueueLength_CommandAndUndo_SetIt()
    {
        Programs.Require("tc", "iproute2");
        _near.Execute("tc qdisc add dev veth0 root pfifo_fast");
        _near.Ip("link set veth0 txqueuelen 100");
        Assert.Equal("100", ReadLength());

        // The files of /sys are those of the namespace that it was mounted in, which ip-netns(8) does for its command.
        var change = new HostChange(new FileSetting("sys/class/net/veth0/tx_queue_len"), "100", "10000");
        Shell(change.Command);
        Assert.Equal("10000", ReadLength());
        Shell(change.Undo);
        Assert.Equal("100", ReadLength());
    }

    [Fact]
    public void RootQueue_ChangedByTheTuner_IsTheKernelsAgainAfterUndo()
    {
        Programs.Require("tc", "iproute2");
        string before = _near.Execute("tc qdisc show dev veth0");
        var change = new HostChange(new QueueSetting("veth0"), "default noqueue", "pfifo_fast");
        CheckFinding finding = new CheckFinding("any", CheckStatus.Advice, "", "", "").With(change);
        var tuner = new HostTuner(Path.Combine(_folder, "tune.json"));

        SettingOutcome made = Assert.Single(_near.Enter(() => tuner.Apply([finding])));

        Assert.Equal((SettingState.Done, null), (made.State, made.Note));
        Assert.Contains("pfifo_fast", _near.Execute("tc qdisc show dev veth0"), StringComparison.Ordinal);
        Assert.Equal(SettingState.Done, Assert.Single(_near.Enter(tuner.Undo)).State);
        Assert.Equal(before, _near.Execute("tc qdisc show dev veth0"));
    }

    [Fact]
    public void RootQueue_ThatSomebodyReplacedSince_IsLeftAlone()
    {
        Programs.Require("tc", "iproute2");
        var change = new HostChange(new QueueSetting("veth0"), "default noqueue", "pfifo_fast");
        CheckFinding finding = new CheckFinding("any", CheckStatus.Advice, "", "", "").With(change);
        var tuner = new HostTuner(Path.Combine(_folder, "tune.json"));
        _near.Enter(() => tuner.Apply([finding]));
        _near.Execute("tc qdisc replace dev veth0 root handle 77: pfifo_fast");

        Assert.Equal(SettingState.Foreign, Assert.Single(_near.Enter(tuner.Undo)).State);

        Assert.Contains("qdisc pfifo_fast 77:", _near.Execute("tc qdisc show dev veth0"), StringComparison.Ordinal);
    }

    private void Shell(string command) => _near.Execute($"sh -c \"{command}\"");

    private string ReadLength() => _near.Execute("cat /sys/class/net/veth0/tx_queue_len").Trim();

    private string[] Features() => _near.Execute("ethtool -k veth0").Split('\n');

    private CheckFinding Find(string id, bool sends = false)
    {
        // All on the thread that is in the namespace.
        HostExamination examination = _near.Enter(() =>
        {
            using var reader = new HostReader(new CheckOptions { Interface = "veth0" }, TimeProvider.System);
            if (sends) Send();
            return HostExamination.Of(reader.Take());
        });
        return Assert.Single(examination.Findings, one => string.Equals(one.Id, id, StringComparison.Ordinal));
    }

    // Far more than 3000 bytes, which is what the token bucket holds.
    private static void Send()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        byte[] payload = new byte[1000];
        for (int i = 0; i < 50; i++)
        {
            try
            {
                socket.SendTo(payload, new IPEndPoint(IPAddress.Parse(Peer), 9));
            }
            catch (SocketException)
            {
                // ENOBUFS: the queue dropped it; ECONNREFUSED: nobody listens.
                continue;
            }
        }
    }
}
