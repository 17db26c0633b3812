using System.Runtime.CompilerServices;
using k8s;
using k8s.Models;
using YamlDotNet.Core;

namespace Spate.RepoTests;

/// <summary>
/// The manifests of docs/gateway, read strictly by the types that the Kubernetes client generates from the schema of
/// the API: a field that the schema does not have, at any depth, is refused. Offline.
/// </summary>
public sealed class ManifestTests
{
    private static readonly string Folder = Path.Combine(RepositoryTop.Path, "docs", "gateway");

    public static TheoryData<string> Files =>
        [.. Directory.GetFiles(Folder, "*.yaml").Select(static path => Path.GetFileName(path)!)];

    [Theory]
    [MemberData(nameof(Files))]
    public void Manifest_ReadStrictly_HasOnlyWhatTheSchemaHas(string file)
    {
        List<object> all = KubernetesYaml.LoadAllFromString(Read(file), typeMap: null, strict: true);

        Assert.NotEmpty(all);
        Assert.All(all, static one => Assert.NotNull(((IMetadata<V1ObjectMeta>)one).Metadata.Name));
        foreach (V1PodTemplateSpec template in all.Select(TemplateOf).OfType<V1PodTemplateSpec>())
        {
            V1Container container = Assert.Single(template.Spec.Containers);
            Assert.Equal("gateway", container.Args[0]);
            Assert.All(container.Ports, static port => Assert.Equal("UDP", port.Protocol));

            // What is drained must fit into the time that Kubernetes gives.
            int drain = int.Parse(container.Args[container.Args.IndexOf("--drain") + 1].TrimEnd('s'));
            long pause = container.Lifecycle.PreStop.Sleep.Seconds;
            Assert.True(drain + pause + 10 <= template.Spec.TerminationGracePeriodSeconds);
        }
    }

    [Fact]
    public void Manifest_MisspeltField_IsRefused()
    {
        string text = Read("load-balancer.yaml");
        string wrong = text.Replace("externalTrafficPolicy:", "externalTraficPolicy:", StringComparison.Ordinal);

        Assert.NotEqual(text, wrong, StringComparer.Ordinal);
        Assert.ThrowsAny<YamlException>(() => KubernetesYaml.LoadAllFromString(wrong, typeMap: null, strict: true));
    }

    private static V1PodTemplateSpec? TemplateOf(object one) => one switch
    {
        V1StatefulSet set => set.Spec.Template,
        V1DaemonSet set => set.Spec.Template,
        _ => null,
    };

    private static string Read(string file) => File.ReadAllText(Path.Combine(Folder, file));
}
