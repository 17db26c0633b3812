using System.Globalization;

namespace Spate.HostTests.Cli.Tune;

/// <summary>
/// <c>spate tune --apply</c> that is killed (SIGKILL) at any point, in a network namespace where it has a kernel's
/// setting, a file of /sys and features of a card to set: <c>--undo</c> leaves all as it was, to the byte. The script
/// prints how many ended in the middle, with something changed and no word about it.
/// </summary>
public sealed class KilledTuneTests
{
    // The tool's start takes most of a life. Of every four, two begin it when the journal is there, which is just
    // before the first change, and one ends at once when the first setting is changed. On a busy machine the tool may
    // be done before the script sees that: more of these follow until one life ends in the middle.
    private const int MaxLifeMilliseconds = 600;
    private const int MaxChangingMilliseconds = 25;
    private const int WholeLifeEvery = 4;

    private const string Rounds = """
        folder=$(mktemp -d)
        trap "rm -rf $folder" EXIT
        journal=$folder/tune.json
        mount -t sysfs sysfs /sys || exit 9
        command -v ethtool > /dev/null && command -v tc > /dev/null && command -v cmp > /dev/null || exit 9
        echo 1 > /proc/sys/net/ipv4/ip_forward && echo 65536 > /proc/sys/net/core/optmem_max || exit 9
        ip link add end0 type veth peer name far0 && ip link set end0 up || exit 9
        tc qdisc add dev end0 root pfifo_fast && ip link set end0 txqueuelen 100 || exit 9
        ethtool -K end0 rx-gro off tx-udp-segmentation off || exit 9
        state() {
            cat /proc/sys/net/core/optmem_max /sys/class/net/end0/tx_queue_len
            ethtool -k end0
            tc qdisc show dev end0
        }
        state > $folder/before
        read first < /proc/sys/net/core/optmem_max # its first digit: read takes byte after byte, and /proc gives one
        middle=0
        lives=0
        for life in LIVES more more more more more more more more; do
            [ $life = more ] && { [ $middle -eq 0 ] || break; life=changed; }
            lives=$((lives+1))
            "$@" tune --apply --profile 100g --interface end0 --seconds 0.1 --journal $journal > $folder/apply 2>&1 &
            p=$!
            spins=0
            case $life in
            changed)
                now=$first
                while [ $now = $first ] && [ $spins -lt 3000000 ]; do
                    read now < /proc/sys/net/core/optmem_max
                    spins=$((spins+1))
                done ;;
            j*)
                while [ ! -e $journal ] && [ $spins -lt 3000000 ]; do spins=$((spins+1)); done
                sleep ${life#j} ;;
            *) sleep $life ;;
            esac
            kill -9 $p 2> /dev/null
            wait $p 2> /dev/null
            state > $folder/now
            cmp -s $folder/before $folder/now || [ -s $folder/apply ] || middle=$((middle+1))
            "$@" tune --undo --journal $journal > $folder/undo 2>&1 || { cat $folder/undo; exit 1; }
            state | diff $folder/before - || { echo "after $life"; cat $folder/undo; exit 1; }
            [ "$(ls $folder)" = "$(printf "apply\nbefore\nnow\nundo")" ] || { ls $folder; exit 1; }
        done
        echo "middle $middle of $lives"
        """;

    private static int KillCount => TestWidth.Of(3, full: 400);

    [Fact]
    public async Task Apply_KilledAtRandomPoints_IsTakenBackToTheByte()
    {
        Random random = RandomCase.Create();
        string[] lives =
        [
            .. Enumerable.Range(0, KillCount).Select(i => (i % WholeLifeEvery) switch
            {
                0 => Seconds(random.Next(MaxLifeMilliseconds)),
                1 => "changed",
                _ => "j" + Seconds(random.Next(MaxChangingMilliseconds)),
            }),
        ];
        string rounds = Rounds.Replace("LIVES", string.Join(' ', lives), StringComparison.Ordinal);

        ToolResult result = await ToolProcess.RunInOwnNetworkAsync(
            $"exec unshare -m sh -c '{rounds}' sh \"$@\"", count: 2 * KillCount);

        TestContext.Current.TestOutputHelper?.WriteLine(result.Output);
        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        string[] words = result.Output.Trim().Split(' ');
        int lifeCount = int.Parse(words[^1], CultureInfo.InvariantCulture);
        ProcessCount.Add(2 * (lifeCount - KillCount));
        Assert.NotEqual(0, int.Parse(words[1], CultureInfo.InvariantCulture));
    }

    private static string Seconds(int milliseconds) =>
        (milliseconds / 1000.0).ToString("0.000", CultureInfo.InvariantCulture);
}
