namespace Spate.Cli.Iperf.Iperf2.Options;

internal static class Iperf2Help
{
    public const string Text = """
        Description:
          A UDP test by iperf 2's protocol, with iperf 2 or with spate at the other end, and exact loss beside
          iperf 2's figures. The command line is read as iperf 2 reads it: -b10m, -ui1.

        Usage:
          spate iperf2 -c HOST -u [options]
          spate iperf2 -s -u [options]

        Both roles:
          -u, --udp              needed: only UDP is spoken
          -p, --port N           the server's port. Default: 5001
          -B, --bind HOST[:PORT] the address to send from or to listen at
          -V, -6                 IPv6; a server with it serves IPv4 clients too
          -i, --interval S       seconds between two lines. Default: none but the last
          -f, --format [kmgKMG]  the unit of rates: bits, or bytes for capitals
          -w, --window N         the socket buffer
          -S, --tos N            the traffic class of what is sent
          -t, --time S           seconds to send, default 10; to serve, default without end
          --no-color             no colours and no bold text

        Client:
          -c, --client HOST      the server
          -b, --bandwidth N      bits a second of each flow, or datagrams as 1000pps; 0 for no limit. Default: 1M
          -l, --len N            bytes of a datagram, 12 to 65507. Default: 1470, 1450 by IPv6
          -n, --num N            end after so many bytes of each flow
          -P, --parallel N       flows, 1 to 128
          -T, --ttl N            the time to live
          -d, --dualtest         the server sends as much back at the same time
          -r, --tradeoff         the server sends as much back afterwards
          -L, --listenport N     where -d and -r listen. Default: the server's port

        Server:
          -s, --server           wait for clients
          --max-flows N          flows that are followed at once, 1 to 1024. Default: 128
          --allow-reverse        send back what -d and -r ask for. Anyone can forge the
                                 address that it goes to: only where strangers cannot send
          --reverse-limit N      bits a second of what is sent back. Default: 100m

        Letters behind numbers: k, m and g are powers of 1000, K, M and G of 1024.
        Not spoken, and refused with a word: TCP, -R and --full-duplex, multicast, --isochronous, --trip-times,
        --bounceback, -y.

        Examples:
          spate iperf2 -s -u -i 1                  wait for clients of iperf 2 or spate
          spate iperf2 -c hosta -u -b 1g           send 1 Gbit/s for 10 s
          spate iperf2 -c hosta -u -b 1000pps -n 1M -P 4
          spate iperf2 -c hosta -u -b 10m -r       10 s there, and 10 s back

        Exit codes: 0 done, 2 wrong use, 3 could not run, no server answered, or nothing came back.
        """;
}
