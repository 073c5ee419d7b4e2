using Orleans.Storage;

namespace Geo.Orleans;

/// <summary>
/// The state of a grain may have been written or not: the store did not answer. Like every <see cref="InconsistentStateException"/> it ends
/// the activation when the grain lets it pass, and the next one reads what is stored; a grain that catches it calls <c>ReadStateAsync</c>
/// before it goes on.
/// </summary>
[GenerateSerializer]
[Alias("geo.state-outcome-unknown")]
public sealed class StateOutcomeUnknownException : InconsistentStateException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="message">What happened, where and what to do.</param>
    public StateOutcomeUnknownException(string message)
        : base(message)
    {
    }
}
