using System.CommandLine;
using Spate.Cli.Shell.Options;
using Spate.Measurement.Counting;

namespace Spate.Cli.Traffic;

/// <summary>
/// The options of what is counted of test datagrams, which <c>receive</c>, <c>serve</c> and <c>test</c> have.
/// </summary>
/// <param name="verifyText">What <c>--verify</c> does in the command.</param>
internal sealed class AccountingOptionSet(
    string verifyText = "Verify the checksum of every datagram; give it to spate send as well.")
{
    private const double MinDeadlineSeconds = 0.0001;

    private readonly Option<string?> _deadline = OptionText.Create(
        "--deadline", "S", "Count what arrives more than S seconds later than the fastest of its stream.");

    private readonly Option<bool> _verify = OptionText.CreateFlag(
        "--verify", verifyText);

    public IReadOnlyList<Option> Options => [_deadline, _verify];

    public void AddTo(Command command)
    {
        command.Add(_deadline);
        command.Add(_verify);
    }

    public AccountingOptions Read(ParseResult parsed) => new()
    {
        Deadline = SecondsText.Read(parsed, _deadline, MinDeadlineSeconds),
        Verify = parsed.GetValue(_verify),
    };
}
