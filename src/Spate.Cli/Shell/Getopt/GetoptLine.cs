namespace Spate.Cli.Shell.Getopt;

/// <summary>A command line that has been read.</summary>
/// <param name="Choices">The options in their order; one that was given twice is there twice.</param>
/// <param name="Operands">What is no option.</param>
internal sealed record GetoptLine(IReadOnlyList<GetoptChoice> Choices, IReadOnlyList<string> Operands)
{
    /// <summary>The last choice of an option, which is the one that counts; null where there is none.</summary>
    public GetoptChoice? Last(GetoptOption option) => Choices.LastOrDefault(choice => choice.Option == option);
}
