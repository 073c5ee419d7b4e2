namespace Geo.Storage.Quorum;

/// <summary>Who are you?</summary>
internal sealed record MeetRequest : QuorumRequest;
