namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>The states that an end of the control connection tells, each in one signed byte (iperf_api.h).</summary>
internal enum Iperf3State : sbyte
{
    /// <summary>An error of the server; its number and that of its system follow.</summary>
    ServerError = -2,

    AccessDenied = -1,

    None = 0,
    TestStart = 1,
    TestRunning = 2,
    ResultRequest = 3,
    TestEnd = 4,
    StreamBegin = 5,
    StreamRunning = 6,
    StreamEnd = 7,
    AllStreamsEnd = 8,
    ParameterExchange = 9,
    CreateStreams = 10,
    ServerTerminate = 11,
    ClientTerminate = 12,
    ExchangeResults = 13,
    DisplayResults = 14,
    Start = 15,
    Done = 16,
}
