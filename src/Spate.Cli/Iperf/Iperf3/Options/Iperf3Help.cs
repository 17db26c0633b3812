namespace Spate.Cli.Iperf.Iperf3.Options;

internal static class Iperf3Help
{
    public const string Text = """
        Description:
          A UDP test with iperf3's protocol, with iperf3 or spate at the other end: exact loss and its
          location.
          The command line is read as iperf3 reads it: -l8972 -b0, -uR, --par=2.

        Usage:
          spate iperf3 -c HOST -u [options]
          spate iperf3 -s [options]

        Both roles:
          -p, --port N               the server's port. Default: 5201
          -B, --bind HOST            the address to connect from or to listen on
          -4, -6                     IPv4 only; IPv6 (a server with -6 serves IPv4 clients too)
          -A, --affinity N[,M]|any   the CPU of the streams' threads here; with -c, M is the server's.
                                     Default: as spate bench for one stream within this host, else any:
                                     the system chooses
          -i, --interval S           seconds between lines, 0.1 to 60; 0 for none. Default: 1
          -f, --format [kmgtKMGT]    the unit of rates: bits, or bytes for capitals
          -V, --verbose              more details
          --no-color                 disable colours and bold text
          -J, --json                 one JSON document like iperf3's, with the exact figures in 'spate'
          --json-stream              a line of JSON for each event; --json-stream-full-output adds the
                                     document
          --timestamps[=FORMAT]      begin lines with the time, in a format of strftime(3)
          --logfile FILE             append the output to a file
          -I, --pidfile FILE         write the process id to a file
          --rcv-timeout MS           give up after MS milliseconds without a datagram. Default: 120000
          --backend NAME             auto, portable, mmsg, uring, winsock or rio. Default: auto
          --no-gso, --no-gro         send without GSO messages, receive without coalescing
          --no-force                 keep to the buffer limit of unprivileged users
          --spin                     spin when receiving: a whole CPU for each received stream

        Client:
          -c, --client HOST          the server
          -u, --udp                  required: only UDP is supported
          -b, --bitrate N[/M]        bits per second of each stream, 0 for no limit; M datagrams per burst.
                                     Default: 1M
          -t, --time S               seconds; 0 for no limit. Default: 10
          -n, --bytes N              end after N bytes
          -k, --blockcount N         end after N datagrams
          -l, --length N             bytes of a datagram, 16 to 65507. Default: the largest without
                                     fragmentation
          -P, --parallel N           streams, 1 to 128
          -R, --reverse              the server sends
          --bidir                    both send
          -O, --omit S               omit the first S seconds from iperf3's figures
          -w, --window N             socket buffers of both ends
          --cport N                  the port of the first stream; the next one has the next port
          -S, --tos N; --dscp NAME   the traffic class; its upper six bits
          -T, --title TEXT           begin lines with TEXT
          --extra-data TEXT          text for the JSON
          --get-server-output        show what the server printed
          --udp-counters-64bit       for more than 4 billion datagrams of a stream
          --connect-timeout MS       how long to wait for the server
          --dont-fragment            refuse datagrams that would be fragmented
          --repeating-payload        digits instead of random bytes
          --fq-rate N                a rate that the kernel keeps
          --gsro                     ask the other end for GSO messages (iperf3 3.21); spate uses them
                                     anyway

        Server:
          -s, --server               wait for clients
          -1, --one-off              end after one test
          --queue N                  clients that may wait for their turn. Default: 0, others are refused
                                     as busy
          --parallel-tests N         concurrent tests. Default: 1
          --idle-timeout S           end after S idle seconds
          --server-bitrate-limit N[/S]   the highest rate of a test, averaged over S seconds.
                                         Default: any, 5 s
          --server-max-duration S    the longest test

        Suffixes of numbers: K, M, G and T are powers of 1000 in rates, of 1024 elsewhere.

        Examples:
          spate iperf3 -s                              wait for clients of iperf3 or spate
          spate iperf3 -c hosta -u -b 1G               send 1 Gbit/s for 10 s
          spate iperf3 -c hosta -uR -b0 -P4 -l8972     receive at its full speed, four streams
          spate iperf3 -c hosta -u -J > report.json

        Exit codes: 0 success, 2 usage error, 3 could not run (iperf3 exits with 1).
        """;
}
