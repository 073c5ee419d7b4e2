namespace Geo.Directory.Tests;

/// <summary>A request of a round, or what it was answered.</summary>
internal sealed record ModelMessage(ModelSilo From, long Round, ClusterId To, GsiReply? Reply = null);
