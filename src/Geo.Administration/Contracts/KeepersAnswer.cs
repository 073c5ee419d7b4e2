namespace Geo.Administration;

/// <summary>The stores that clusters keep by majority.</summary>
/// <param name="Stores">Each of them.</param>
internal sealed record KeepersAnswer(IReadOnlyList<KeepersRow> Stores);
