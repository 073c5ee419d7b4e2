namespace TpcwMini.Clusters;

/// <summary>What a silo's process is asked by its parent.</summary>
/// <param name="Kind">What for.</param>
/// <param name="Cluster">Of which region; empty for all.</param>
internal sealed record SiloQuestion(SiloQuestionKind Kind, string Cluster = "");
