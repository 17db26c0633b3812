using System.Text.Json.Serialization;

namespace Spate.Measurement.PathTest;

/// <summary>Which end of a test sends.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<TestDirection>))]
internal enum TestDirection
{
    /// <summary>The client sends to the server.</summary>
    Forward = 0,

    /// <summary>The server sends to the client.</summary>
    Reverse = 1,

    /// <summary>Both send at the same time, over the same sockets.</summary>
    Both = 2,
}
