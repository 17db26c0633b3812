[assembly: AssemblyFixture(typeof(Spate.HostTests.ReadyThreads))]

namespace Spate.HostTests;

/// <summary>Makes the threads of the process before any test, since most tests here enter namespaces.</summary>
public sealed class ReadyThreads
{
    public ReadyThreads()
    {
        if (OperatingSystem.IsLinux()) PoolThreads.Make();
    }
}
