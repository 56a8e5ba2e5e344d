# cmake -DFOLDER=DIR -DNAME=N -DSOURCE=DIR -DTO=DIR -P PackBundle.cmake: TO/N.tar.gz of FOLDER/N, the same bytes at each build of a
# commit: names in order, nobody's files, the time of SOURCE_DATE_EPOCH or of the commit.
set(epoch $ENV{SOURCE_DATE_EPOCH})
if(epoch STREQUAL "")
  execute_process(COMMAND git -C ${SOURCE} log -1 --format=%ct OUTPUT_VARIABLE epoch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT epoch MATCHES "^[0-9]+$")
  set(epoch 315532800)  # 1980, as in the wheel
endif()
execute_process(COMMAND tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@${epoch} -cf - ${NAME}
                COMMAND gzip -n9 WORKING_DIRECTORY ${FOLDER} OUTPUT_FILE ${TO}/${NAME}.tar.gz COMMAND_ERROR_IS_FATAL ANY)
