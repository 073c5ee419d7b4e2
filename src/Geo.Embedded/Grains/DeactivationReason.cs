namespace Geo.Embedded;

/// <summary>Why a grain is deactivated.</summary>
/// <param name="ReasonCode">The kind of reason.</param>
/// <param name="Description">The reason for people.</param>
/// <param name="Exception">The exception behind it, if there is one.</param>
public readonly record struct DeactivationReason(DeactivationReasonCode ReasonCode, string Description, Exception? Exception = null)
{
    /// <inheritdoc/>
    public override string ToString() => $"{ReasonCode}: {Description}";
}
