using System.Globalization;
using Microsoft.Extensions.Logging;
using Orleans.EventSourcing;
using Orleans.Serialization;

namespace Geo.Orleans;

/// <summary>What Orleans hands to every journal; its own implementation is registered only by its own providers.</summary>
internal sealed class JournalProtocolServices(
    IGrainContext grain, DeepCopier copier, ILocalSiloDetails silo, ILogger<JournalProtocolServices> logger)
    : ILogConsistencyProtocolServices
{
    public GrainId GrainId => grain.GrainId;

    public string MyClusterId => silo.ClusterId;

    public T DeepCopy<T>(T value) => copier.Copy(value)!;

    public void ProtocolError(string msg, bool throwexception)
    {
        logger.JournalProtocolError(GrainId, msg);
        if (throwexception)
        {
            throw new OrleansException($"{msg} (grain {GrainId})");
        }
    }

    public void CaughtException(string where, Exception e) => logger.JournalCaught(GrainId, where, e);

    public void CaughtUserCodeException(string callback, string where, Exception e) => logger.JournalCaughtFromGrain(GrainId, callback, e);

    public void Log(LogLevel level, string format, params object[] args)
    {
        if (logger.IsEnabled(level))
        {
            logger.JournalSays(level, GrainId, string.Format(CultureInfo.InvariantCulture, format, args));
        }
    }
}
