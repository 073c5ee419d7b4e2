namespace Geo.Orleans.Tests.Grains;

/// <summary>A grain whose calls get no answer, or end with an exception that Orleans has too.</summary>
public interface IBroken : IGrainWithStringKey
{
    /// <summary>The silo that answers.</summary>
    Task<string> Where();

    /// <summary>Never answers.</summary>
    Task Hold();

    [ResponseTimeout("00:00:01")]
    Task HoldBriefly();

    /// <summary>Ends when it is freed.</summary>
    [ResponseTimeout("00:05:00")]
    Task HoldAtLeisure();

    Task Free();

    /// <summary>Ends with the exception of this name.</summary>
    Task<int> Throw(string exception, bool later);
}
