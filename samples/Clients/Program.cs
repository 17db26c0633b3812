using Spate;

// Clients that ask again if no answer comes. Each needs its server, another sample:
// dotnet run -c Release --project samples/Clients dns PORT NAME...     samples/DnsResponder
// dotnet run -c Release --project samples/Clients game PORT            samples/GameServer
// dotnet run -c Release --project samples/Clients statsd PORT COUNT    samples/StatsdCollector

TimeSpan firstTimeout = TimeSpan.FromMilliseconds(250);
if (args.Length < 2 || !ushort.TryParse(args[1], out ushort port) || port == 0) return Refuse();
UdpEndPoint server = UdpEndPoint.Loopback(port);
return args switch
{
    ["dns", _, .. { Length: > 0 } names] => Resolve(names),
    ["game", _] => Join(),
    ["statsd", _, string count] when uint.TryParse(count, out uint lineCount) => Count(lineCount),
    _ => Refuse(),
};

int Resolve(string[] names)
{
    using var client = new DnsClient(server, firstTimeout, TimeProvider.System);
    DnsAnswer[] answers;
    try
    {
        answers = client.Resolve(names);
    }
    catch (ArgumentException exception)
    {
        Console.Error.WriteLine(exception.Message);   // not a name of DNS
        return 2;
    }

    foreach ((string name, DnsAnswer answer) in names.Zip(answers))
    {
        Console.WriteLine($"{name} {(object?)answer.Address ?? answer.Status}");
    }

    return answers.Any(static answer => answer.Status is DnsStatus.NoAnswer or DnsStatus.Failed) ? 1 : 0;
}

int Join()
{
    using var client = new GameClient(server, firstTimeout, TimeProvider.System);
    int? id = client.Join();
    Console.WriteLine(id is null ? $"{server} is silent" : $"joined as player {id}");
    return id is null ? 1 : 0;
}

int Count(uint lineCount)
{
    using var client = new StatsdClient(server, firstTimeout, TimeProvider.System);
    for (uint i = 0; i < lineCount; i++) client.Add("requests:1|c");
    client.Flush();
    Console.WriteLine($"{client.AcknowledgedLines} lines acknowledged, {client.LostLines} lost");
    return client.LostLines > 0 ? 1 : 0;
}

static int Refuse()
{
    Console.Error.WriteLine("expected: dns PORT NAME..., game PORT, or statsd PORT COUNT");
    return 2;
}
