/* SPDX-License-Identifier: MIT */
/* Events. Compiled twice (api.h). */
#include "runtime/cuda/api.h"

CUresult cuEventRecord(CUevent hEvent, CUstream hStream)
{
    return rt_event_record(hEvent, api_stream(hStream), CU_EVENT_RECORD_DEFAULT);
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
    return rt_event_record(hEvent, api_stream(hStream), flags);
}

#if API_ONCE
CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
    return rt_event_create(phEvent, Flags);
}

CUresult cuEventQuery(CUevent hEvent)
{
    return rt_event_query(hEvent);
}

CUresult cuEventSynchronize(CUevent hEvent)
{
    return rt_event_synchronize(hEvent);
}

CUresult cuEventDestroy(CUevent hEvent)
{
    return rt_event_destroy(hEvent);
}

CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    return rt_event_elapsed(pMilliseconds, hStart, hEnd);
}
#endif
