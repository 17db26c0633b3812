using Spate.Measurement.PathTest;

namespace Spate.TestHelpers.PathTest;

/// <summary>Options of a client that asks for another test.</summary>
internal static class ClientOptions
{
    public static TestClientOptions Asking(this TestClientOptions options, Action<TestParameters> change)
    {
        TestParameters parameters = options.Parameters with { };
        change(parameters);
        return options with { Parameters = parameters };
    }
}
