using Geo.Consistency;

namespace Geo.Orleans.Tests.Grains;

/// <summary>A coordination-free grain whose sessions are causal.</summary>
public interface INote : IGrainWithStringKey
{
    Task<SessionToken> Write(string text);

    Task<SessionToken> Answer(string question, string text);

    Task<string> Read();

    Task<string> Both(string other);

    Task<string> ReadAt(ConsistencyLevel level);
}
